"""The tables of what people asked to have remembered, and of what they asked not to have kept."""

import sqlalchemy as sa

from services.storage.columns import METADATA, Big, key, needed

MEMORY = sa.Table(
    "memory",
    METADATA,
    key("id", Big),
    needed("chat_key"),
    needed("person_id"),
    needed("person_name"),
    needed("is_shared", sa.Boolean),
    needed("text"),
    needed("created_at", Big),
    sa.Index("ix_memory_chat", "chat_key"),
    sa.Index("ix_memory_person", "person_id"),
    sqlite_autoincrement=True,
)
"""Something that a person asked to have remembered, for themselves or for their chat."""

OPT_OUT = sa.Table(
    "opt_out",
    METADATA,
    key("place"),
    key("person_id"),
    needed("since", Big),
)
"""A person whose messages are not kept. `place` is a chat's key, or a platform's name for all of its chats."""

RETENTION = sa.Table(
    "retention",
    METADATA,
    key("chat_key"),
    needed("keep_days", sa.Integer),
)
"""How many days the messages of a chat are kept, where that is not what the settings say; 0 means for ever."""
