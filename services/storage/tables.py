"""The tables. Instants are UTC microseconds; wall clock, zone and rule of a reminder are the truth."""

import sqlalchemy as sa

from services.storage.columns import METADATA, Big, Moment, key, needed, optional

SCHEMA_VERSION = 8

# Written out as text, not as bound values, so that SQLite sees that a query matches a partial index.
IS_DUE = sa.text("next_fire_at IS NOT NULL")
IS_OPEN = sa.text("state IN ('active', 'paused')")
IS_FREED = sa.text("owner = '' AND state IN ('leased', 'unknown')")
IS_HELD = sa.text("owner <> ''")
IS_SAID = sa.text("platform_message_id IS NOT NULL")
IS_SENT = sa.text("sent_at IS NOT NULL")


def _partial(name: str, *columns: str, where: sa.TextClause) -> sa.Index:
    return sa.Index(name, *columns, sqlite_where=where)


def mark_partial(dialect: str) -> None:
    """Make the partial indexes partial on `dialect` too.

    To name it where they are defined would import it, which takes as long as all our tables; most have SQLite.
    """
    for table in METADATA.tables.values():
        for index in table.indexes:
            where = index.dialect_options["sqlite"]["where"]
            if where is not None:
                index.dialect_options[dialect]["where"] = where


REMINDER = sa.Table(
    "reminder",
    METADATA,
    key("id", Big),
    needed("request_key", unique=True),
    needed("chat_key"),
    optional("thread_id"),
    needed("creator_id"),
    needed("creator_name"),
    needed("targets", default=""),
    needed("content"),
    needed("language"),
    needed("is_private", sa.Boolean, default=False),
    needed("is_urgent", sa.Boolean, default=False, is_default_stored=True),
    needed("catch_up", default="latest", is_default_stored=True),
    needed("action", default="say", is_default_stored=True),
    needed("rule", default=""),
    needed("start_local"),
    needed("start_fold", sa.Integer, default=0),
    needed("zone"),
    optional("next_fire_at", Big),
    optional("last_due_at", Big),
    needed("version", sa.Integer, default=1),
    needed("state", default="active"),
    needed("created_at", Big),
    needed("updated_at", Big),
    _partial("ix_reminder_due", "next_fire_at", where=IS_DUE),
    _partial("ix_reminder_open", "chat_key", "creator_id", where=IS_OPEN),
    sqlite_autoincrement=True,
)
"""One reminder. `next_fire_at` is a cache of the schedule; NULL means done, paused or being delivered."""

DELIVERY = sa.Table(
    "delivery",
    METADATA,
    key("id", Big),
    needed("reminder_id", Big),
    needed("due_at", Big),
    needed("version", sa.Integer),
    needed("content"),
    needed("chat_key"),
    needed("missed", sa.Integer, default=0),
    needed("state", default="leased"),
    needed("try_at", Big),
    needed("attempt", sa.Integer, default=0),
    needed("owner", default=""),
    needed("was_held", sa.Boolean, default=False, is_default_stored=True),
    needed("message_key", default="", is_default_stored=True),
    optional("platform_message_id"),
    needed("error", default=""),
    optional("sent_at", Big),
    sa.UniqueConstraint("reminder_id", "due_at", name="ux_delivery_occurrence"),
    _partial("ix_delivery_freed", "try_at", where=IS_FREED),
    _partial("ix_delivery_held", "owner", where=IS_HELD),
    _partial("ix_delivery_said", "chat_key", "platform_message_id", where=IS_SAID),
    _partial("ix_delivery_sent", "chat_key", "sent_at", where=IS_SENT),
    sqlite_autoincrement=True,
)
"""One occurrence of a reminder: the ledger. (reminder, due) is unique, so an occurrence exists once."""

QUIET = sa.Table(
    "quiet_hours",
    METADATA,
    key("key"),
    needed("starts", sa.Integer),
    needed("ends", sa.Integer),
    needed("zone"),
)
"""Quiet hours of a chat or of a person, as minutes of the day in a zone; the end may lie on the next day."""

MESSAGE = sa.Table(
    "message",
    METADATA,
    key("id", Big),
    needed("chat_key"),
    optional("thread_id"),
    needed("message_id"),
    needed("sender_id"),
    needed("sender_name"),
    needed("sender_is_bot", sa.Boolean, default=False),
    needed("text"),
    needed("sent_at", Big),
    optional("reply_to"),
    needed("is_addressed", sa.Boolean, default=False),
    needed("is_private", sa.Boolean, default=False),
    needed("mentions", default="", is_default_stored=True),
    needed("attachments", default="", is_default_stored=True),
    optional("edited_at", Big),
    optional("deleted_at", Big),
    sa.UniqueConstraint("chat_key", "message_id", name="ux_message_id"),
    sa.Index("ix_message_time", "chat_key", "sent_at"),
)
"""One message of a chat. (chat, message id) is unique: what a platform delivers twice is kept once."""

META = sa.Table(
    "meta",
    METADATA,
    key("key"),
    needed("value"),
)
"""Facts about the database itself: its schema version."""

STATE = sa.Table(
    "session_state",
    METADATA,
    key("key"),
    needed("value"),
    optional("expires_at", Big, index=True),
)
"""Small remembered things: JSON by key, with an end."""

SCOPE = sa.Table(
    "scoped_state",
    METADATA,
    key("scope"),
    key("key"),
    needed("value"),
)
"""A value that tools keep in a scope (a session, a person, the bot): JSON, for as long as nobody removes it."""

TURN = sa.Table(
    "turn",
    METADATA,
    key("id", Big),
    needed("chat_key"),
    optional("thread_id"),
    needed("message_id"),
    needed("person_id"),
    needed("person_name"),
    needed("person_is_admin", sa.Boolean, default=False),
    needed("text"),
    needed("at", Big),
    needed("zone"),
    needed("language"),
    needed("route"),
    needed("rounds", sa.Integer),
    needed("outcome"),
    needed("is_addressed", sa.Boolean, default=False),
    needed("is_private", sa.Boolean, default=False),
    needed("completions"),
    needed("tokens", Big),
    needed("cost", sa.Float),
    needed("reply"),
    needed("fallback"),
    needed("error"),
    needed("duration_ms", sa.Float),
    sa.Index("ix_turn_message", "message_id"),
    sa.Index("ix_turn_person", "chat_key", "person_id"),
    sa.Index("ix_turn_time", "at"),
)
"""One message that was interpreted: by whom, at what cost, with which outcome. `completions` is JSON."""

CALL = sa.Table(
    "tool_conversations",
    METADATA,
    key("number", Big),
    needed("id", unique=True),
    needed("session_id"),
    optional("thread_id"),
    needed("message_id"),
    needed("person_id"),
    needed("user_message"),
    needed("tool_name"),
    needed("arguments"),
    optional("result"),
    optional("error"),
    needed("status"),
    needed("duration_ms", sa.Float),
    needed("timestamp", Big),
    needed("route"),
    needed("round", sa.Integer),
    needed("repairs"),
    needed("said"),
    needed("ending"),
    needed("receipts"),
    needed("model"),
    needed("prompt_tokens", sa.Integer),
    needed("completion_tokens", sa.Integer),
    needed("cached_tokens", sa.Integer),
    needed("cost", sa.Float),
    optional("spawn_task"),
    sa.Index("ix_call_message", "session_id", "message_id"),
    sa.Index("ix_call_time", "timestamp"),
)
"""One call of a tool; `session_id` is the chat. Arguments, repairs, receipts and the spawned task are JSON."""

WORKER = sa.Table(
    "worker",
    METADATA,
    key("owner"),
    needed("seen_at", Moment),
)
"""A process that shares this PostgreSQL with others, under the name that it leases by; the server's time."""
