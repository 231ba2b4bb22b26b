"""What tables are declared with: the type of large numbers, and the conditions of partial indexes."""

from typing import Final

import sqlalchemy as sa

# A plain int is 32 bits on PostgreSQL, where microseconds overflow; SQLite's row id must be a plain INTEGER.
BIG: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# Written out as text, not as bound values, so that SQLite sees that a query matches a partial index.
IS_DUE: Final = sa.text("next_fire_at IS NOT NULL")
IS_OPEN: Final = sa.text("state IN ('active', 'paused')")
IS_FREED: Final = sa.text("owner = '' AND state IN ('leased', 'unknown')")
IS_HELD: Final = sa.text("owner <> ''")
IS_SAID: Final = sa.text("platform_message_id IS NOT NULL")
IS_SENT: Final = sa.text("sent_at IS NOT NULL")
