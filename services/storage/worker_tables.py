"""The tables by which the processes that share a PostgreSQL divide the chat platforms among them."""

import sqlalchemy as sa

from services.storage.columns import METADATA, Big, Moment, key, needed, optional

PLATFORM_LEASE = sa.Table(
    "platform_lease",
    METADATA,
    key("platform"),
    needed("owner"),
    needed("until", Moment),
)
"""The process that is connected to a platform, until when it must have said so again; the server's time."""

HANDED_OVER = sa.Table(
    "handed_over",
    METADATA,
    key("id", Big),
    needed("platform"),
    needed("taken_by", default=""),
    needed("made_at", Moment),
    needed("content"),
    optional("outcome"),
)
"""A message that one process wants said and another one, which is connected, says. The last two are JSON."""
