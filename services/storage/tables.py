"""The tables. Instants are UTC microseconds; wall clock, zone and rule of a reminder are the truth.

Made by `make tables` from the classes of `services/storage/models`, which is where to change them. A test compares.
"""

import sqlalchemy as sa

from services.storage.declaring import BIG, IS_DUE, IS_HELD, IS_OPEN, IS_SAID, IS_SENT, IS_TO_TRY

METADATA = sa.MetaData()

MESSAGE = sa.Table(
    "message",
    METADATA,
    sa.Column("id", BIG, primary_key=True),
    sa.Column("chat_key", sa.String, nullable=False),
    sa.Column("thread_id", sa.String),
    sa.Column("message_id", sa.String, nullable=False),
    sa.Column("sender_id", sa.String, nullable=False),
    sa.Column("sender_name", sa.String, nullable=False),
    sa.Column("sender_is_bot", sa.Boolean, nullable=False, default=False),
    sa.Column("sender_username", sa.String, nullable=False, default="", server_default=""),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("sent_at", BIG, nullable=False),
    sa.Column("reply_to", sa.String),
    sa.Column("is_addressed", sa.Boolean, nullable=False, default=False),
    sa.Column("is_private", sa.Boolean, nullable=False, default=False),
    sa.Column("mentions", sa.String, nullable=False, default="", server_default=""),
    sa.Column("attachments", sa.String, nullable=False, default="", server_default=""),
    sa.Column("edited_at", BIG),
    sa.Column("deleted_at", BIG),
    sa.UniqueConstraint("chat_key", "message_id", name="ux_message_id"),
    sa.Index("ix_message_time", "chat_key", "sent_at"),
)
"""One message of a chat. (chat, message id) is unique: what a platform delivers twice is kept once."""

MEMORY = sa.Table(
    "memory",
    METADATA,
    sa.Column("id", BIG, primary_key=True),
    sa.Column("chat_key", sa.String, nullable=False),
    sa.Column("person_id", sa.String, nullable=False),
    sa.Column("person_name", sa.String, nullable=False),
    sa.Column("is_shared", sa.Boolean, nullable=False),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("created_at", BIG, nullable=False),
    sa.Index("ix_memory_chat", "chat_key"),
    sa.Index("ix_memory_person", "person_id"),
    sqlite_autoincrement=True,
)
"""Something that a person asked to have remembered, for themselves or for their chat."""

OPT_OUT = sa.Table(
    "opt_out",
    METADATA,
    sa.Column("place", sa.String, primary_key=True),
    sa.Column("person_id", sa.String, primary_key=True),
    sa.Column("since", BIG, nullable=False),
)
"""A person whose messages are not kept. `place` is a chat's key, or a platform's name for all of its chats."""

RETENTION = sa.Table(
    "retention",
    METADATA,
    sa.Column("chat_key", sa.String, primary_key=True),
    sa.Column("keep_days", sa.Integer, nullable=False),
)
"""How many days the messages of a chat are kept, where that is not what the settings say; 0 means for ever."""

TURN = sa.Table(
    "turn",
    METADATA,
    sa.Column("id", BIG, primary_key=True),
    sa.Column("chat_key", sa.String, nullable=False),
    sa.Column("thread_id", sa.String),
    sa.Column("message_id", sa.String, nullable=False),
    sa.Column("person_id", sa.String, nullable=False),
    sa.Column("person_name", sa.String, nullable=False),
    sa.Column("person_is_admin", sa.Boolean, nullable=False, default=False),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("at", BIG, nullable=False),
    sa.Column("zone", sa.String, nullable=False),
    sa.Column("language", sa.String, nullable=False),
    sa.Column("route", sa.String, nullable=False),
    sa.Column("rounds", sa.Integer, nullable=False),
    sa.Column("outcome", sa.String, nullable=False),
    sa.Column("is_addressed", sa.Boolean, nullable=False, default=False),
    sa.Column("is_private", sa.Boolean, nullable=False, default=False),
    sa.Column("completions", sa.String, nullable=False),
    sa.Column("tokens", BIG, nullable=False),
    sa.Column("cost", sa.Float, nullable=False),
    sa.Column("reply", sa.String, nullable=False),
    sa.Column("fallback", sa.String, nullable=False),
    sa.Column("error", sa.String, nullable=False),
    sa.Column("duration_ms", sa.Float, nullable=False),
    sa.Index("ix_turn_message", "message_id"),
    sa.Index("ix_turn_person", "chat_key", "person_id"),
    sa.Index("ix_turn_time", "at"),
)
"""One message that was interpreted: by whom, at what cost, with which outcome. `completions` is JSON."""

CALL = sa.Table(
    "tool_conversations",
    METADATA,
    sa.Column("number", BIG, primary_key=True),
    sa.Column("id", sa.String, nullable=False, unique=True),
    sa.Column("session_id", sa.String, nullable=False),
    sa.Column("thread_id", sa.String),
    sa.Column("message_id", sa.String, nullable=False),
    sa.Column("person_id", sa.String, nullable=False),
    sa.Column("user_message", sa.String, nullable=False),
    sa.Column("tool_name", sa.String, nullable=False),
    sa.Column("arguments", sa.String, nullable=False),
    sa.Column("result", sa.String),
    sa.Column("error", sa.String),
    sa.Column("status", sa.String, nullable=False),
    sa.Column("duration_ms", sa.Float, nullable=False),
    sa.Column("timestamp", BIG, nullable=False),
    sa.Column("route", sa.String, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("repairs", sa.String, nullable=False),
    sa.Column("said", sa.String, nullable=False),
    sa.Column("ending", sa.String, nullable=False),
    sa.Column("receipts", sa.String, nullable=False),
    sa.Column("model", sa.String, nullable=False),
    sa.Column("prompt_tokens", sa.Integer, nullable=False),
    sa.Column("completion_tokens", sa.Integer, nullable=False),
    sa.Column("cached_tokens", sa.Integer, nullable=False),
    sa.Column("cost", sa.Float, nullable=False),
    sa.Column("spawn_task", sa.String),
    sa.Index("ix_call_message", "session_id", "message_id"),
    sa.Index("ix_call_time", "timestamp"),
)
"""One call of a tool; `session_id` is the chat. Arguments, repairs, receipts and the spawned task are JSON."""

REMINDER = sa.Table(
    "reminder",
    METADATA,
    sa.Column("id", BIG, primary_key=True),
    sa.Column("request_key", sa.String, nullable=False, unique=True),
    sa.Column("chat_key", sa.String, nullable=False),
    sa.Column("thread_id", sa.String),
    sa.Column("creator_id", sa.String, nullable=False),
    sa.Column("creator_name", sa.String, nullable=False),
    sa.Column("targets", sa.String, nullable=False, default=""),
    sa.Column("content", sa.String, nullable=False),
    sa.Column("language", sa.String, nullable=False),
    sa.Column("is_private", sa.Boolean, nullable=False, default=False),
    sa.Column("is_urgent", sa.Boolean, nullable=False, default=False, server_default=sa.false()),
    sa.Column("catch_up", sa.String, nullable=False, default="latest", server_default="latest"),
    sa.Column("action", sa.String, nullable=False, default="say", server_default="say"),
    sa.Column("rule", sa.String, nullable=False, default=""),
    sa.Column("start_local", sa.String, nullable=False),
    sa.Column("start_fold", sa.Integer, nullable=False, default=0),
    sa.Column("zone", sa.String, nullable=False),
    sa.Column("next_fire_at", BIG),
    sa.Column("last_due_at", BIG),
    sa.Column("version", sa.Integer, nullable=False, default=1),
    sa.Column("state", sa.String, nullable=False, default="active"),
    sa.Column("created_at", BIG, nullable=False),
    sa.Column("updated_at", BIG, nullable=False),
    sa.Index("ix_reminder_due", "next_fire_at", sqlite_where=IS_DUE),
    sa.Index("ix_reminder_open", "chat_key", "creator_id", sqlite_where=IS_OPEN),
    sqlite_autoincrement=True,
)
"""One reminder. `next_fire_at` is a cache of the schedule; NULL means done, paused or being delivered."""

DELIVERY = sa.Table(
    "delivery",
    METADATA,
    sa.Column("id", BIG, primary_key=True),
    sa.Column("reminder_id", BIG, nullable=False),
    sa.Column("due_at", BIG, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("content", sa.String, nullable=False),
    sa.Column("chat_key", sa.String, nullable=False),
    sa.Column("missed", sa.Integer, nullable=False, default=0),
    sa.Column("state", sa.String, nullable=False, default="leased"),
    sa.Column("try_at", BIG, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False, default=0),
    sa.Column("owner", sa.String, nullable=False, default=""),
    sa.Column("was_held", sa.Boolean, nullable=False, default=False, server_default=sa.false()),
    sa.Column("message_key", sa.String, nullable=False, default="", server_default=""),
    sa.Column("platform_message_id", sa.String),
    sa.Column("error", sa.String, nullable=False, default=""),
    sa.Column("sent_at", BIG),
    sa.UniqueConstraint("reminder_id", "due_at", name="ux_delivery_occurrence"),
    sa.Index("ix_delivery_freed", "try_at", sqlite_where=IS_TO_TRY),
    sa.Index("ix_delivery_held", "owner", sqlite_where=IS_HELD),
    sa.Index("ix_delivery_said", "chat_key", "platform_message_id", sqlite_where=IS_SAID),
    sa.Index("ix_delivery_sent", "chat_key", "sent_at", sqlite_where=IS_SENT),
    sqlite_autoincrement=True,
    info={"fillfactor": 50},
)
"""One occurrence of a reminder: the ledger. (reminder, due) is unique, so an occurrence exists once.

`try_at` is 0 where nothing is to be tried again and nothing was sent. Half of each page is left free on PostgreSQL,
so that the begun row comes to lie beside the one that it replaces, and no index is written."""

QUIET = sa.Table(
    "quiet_hours",
    METADATA,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("starts", sa.Integer, nullable=False),
    sa.Column("ends", sa.Integer, nullable=False),
    sa.Column("zone", sa.String, nullable=False),
)
"""Quiet hours of a chat or of a person, as minutes of the day in a zone; the end may lie on the next day."""

META = sa.Table(
    "meta",
    METADATA,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("value", sa.String, nullable=False),
)
"""Facts about the database itself: its schema version."""

STATE = sa.Table(
    "session_state",
    METADATA,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("value", sa.String, nullable=False),
    sa.Column("expires_at", BIG),
    sa.Index("ix_session_state_expires_at", "expires_at"),
)
"""Small remembered things: JSON by key, with an end."""

SCOPE = sa.Table(
    "scoped_state",
    METADATA,
    sa.Column("scope", sa.String, primary_key=True),
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("value", sa.String, nullable=False),
)
"""A value that tools keep in a scope (a session, a person, the bot): JSON, for as long as nobody removes it."""

STORED_TOOL = sa.Table(
    "stored_tool",
    METADATA,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("owner", sa.String, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("content", sa.String, nullable=False),
    sa.Column("specs", sa.String, nullable=False),
    sa.Column("meta", sa.String, nullable=False),
    sa.Column("access", sa.String, nullable=False),
    sa.Column("valves", sa.String, nullable=False),
    sa.Column("is_enabled", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("created_at", BIG, nullable=False),
    sa.Column("updated_at", BIG, nullable=False),
)
"""A tool: its source, what was read of it, who may use it, and its settings; the last four as JSON."""

STORED_TOOL_VERSION = sa.Table(
    "stored_tool_version",
    METADATA,
    sa.Column("tool_id", sa.String, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("content", sa.String, nullable=False),
    sa.Column("author", sa.String, nullable=False),
    sa.Column("saved_at", BIG, nullable=False),
)
"""The source of a tool as it once was."""

WORKER = sa.Table(
    "worker",
    METADATA,
    sa.Column("owner", sa.String, primary_key=True),
    sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
)
"""A process that shares this PostgreSQL with others, under the name that it leases by; the server's time."""

PLATFORM_LEASE = sa.Table(
    "platform_lease",
    METADATA,
    sa.Column("platform", sa.String, primary_key=True),
    sa.Column("owner", sa.String, nullable=False),
    sa.Column("until", sa.DateTime(timezone=True), nullable=False),
)
"""The process that is connected to a platform, until when it must have said so again; the server's time."""

HANDED_OVER = sa.Table(
    "handed_over",
    METADATA,
    sa.Column("id", BIG, primary_key=True),
    sa.Column("platform", sa.String, nullable=False),
    sa.Column("taken_by", sa.String, nullable=False, default=""),
    sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("content", sa.String, nullable=False),
    sa.Column("outcome", sa.String),
)
"""A message that one process wants said and another one, which is connected, says. The last two are JSON."""

TURN_CLAIM = sa.Table(
    "turn_claim",
    METADATA,
    sa.Column("chat_key", sa.String, primary_key=True),
    sa.Column("message_id", sa.String, primary_key=True),
    sa.Column("owner", sa.String, nullable=False),
)
"""The process that deals with a message, for as long as it does."""

SAID = sa.Table(
    "said",
    METADATA,
    sa.Column("delivery_id", BIG, primary_key=True, autoincrement=False),
    sa.Column("said", sa.String, nullable=False),
)
"""Occurrences that were said while their rows in the ledger still say that they are being sent; `said` is JSON.

`delivery_id` is the first of them."""
