"""Query plans of frequent queries, which use their partial indices."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from services.storage.database import Database
from services.storage.tables import DELIVERY, REMINDER
from services.storage.tables.base import IS_DUE, IS_FREED, IS_HELD, IS_OPEN

NOW = int(datetime(2026, 11, 20, tzinfo=UTC).timestamp() * 1_000_000)

QUERIES = {
    "ix_reminder_due": sa.select(REMINDER)
    .where(REMINDER.c.next_fire_at <= NOW, IS_DUE)
    .order_by(REMINDER.c.next_fire_at),
    "ix_reminder_open": sa.select(REMINDER).where(REMINDER.c.chat_key == "a:b", IS_OPEN),
    "ix_delivery_freed": sa.select(DELIVERY.c.id).where(DELIVERY.c.try_at <= NOW, IS_FREED).order_by(DELIVERY.c.try_at),
    "ix_delivery_said": sa.select(DELIVERY.c.reminder_id).where(
        DELIVERY.c.chat_key == "a:b", DELIVERY.c.platform_message_id == "m1"
    ),
    "ix_delivery_sent": sa.select(DELIVERY.c.reminder_id).where(
        DELIVERY.c.chat_key == "a:b", DELIVERY.c.sent_at >= NOW
    ),
    "ix_delivery_held": sa.select(DELIVERY.c.id).where(DELIVERY.c.owner == "me", IS_HELD),
}


@pytest.mark.parametrize("index", QUERIES)
async def test_a_query_uses_its_index(index: str):
    text = QUERIES[index].compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})

    async with Database("sqlite://") as database:
        plan = await database.run(lambda connection: connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").all())

    assert index in str(plan)
    assert "TEMP B-TREE" not in str(plan)


async def test_the_earliest_fire_is_read_from_its_index():
    query = f"EXPLAIN QUERY PLAN SELECT min(next_fire_at) FROM reminder WHERE {IS_DUE}"

    async with Database("sqlite://") as database:
        plan = await database.run(lambda connection: connection.exec_driver_sql(query).all())

    assert "ix_reminder_due" in str(plan)
