"""The full-text index of messages: upgrades, edits and deleted texts."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from loguru import logger
from msgspec.structs import replace

from services.kernel.chat import Attachment, ChatAddress, ChatMessage, Person
from services.storage.database import Database
from services.storage.message_index.index import SqliteMessageIndex
from services.storage.message_index.updates import index_waiting
from services.storage.messages.store import SqlMessageStore, search
from services.storage.tables import META

HOME = ChatAddress(platform="console", chat_id="home")
NOW = datetime(2026, 11, 20, tzinfo=UTC)


def message(number: int, text: str) -> ChatMessage:
    return ChatMessage(id=str(number), address=HOME, sender=Person(id="ann", name="Ann"), text=text, sent_at=NOW)


def without_index(connection: sa.Connection) -> None:
    connection.exec_driver_sql("DROP TABLE message_terms")
    connection.execute(META.delete().where(META.c.key == "message_index"))


async def test_messages_of_a_file_without_an_index_are_found_after_the_next_start(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with Database(url) as database:
        store = SqlMessageStore(database)
        await store.add([message(number, "tea") for number in range(2100)])
        await store.delete(HOME, "7", NOW)
        await database.run(without_index)

    async with Database(url) as database:
        found = await SqlMessageStore(database).search(HOME, "tea", 3000)

    assert len(found) == 2099


async def test_a_search_reads_the_index_first_and_needs_no_sorting():
    query = SqliteMessageIndex().newest(HOME.key, ["tea"]).limit(5)

    async with Database("sqlite://") as database:
        sql = query.compile(dialect=sa.dialects.sqlite.dialect(), compile_kwargs={"literal_binds": True})
        plan = await database.run(lambda connection: connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}").all())

    assert "SCAN message_terms VIRTUAL TABLE" in str(plan)
    assert "TEMP B-TREE" not in str(plan)


async def test_messages_are_indexed_in_batches_and_found_before():
    async with Database("sqlite://") as database:
        store = SqlMessageStore(database)
        for number in range(1, 101):
            await store.add([message(number, f"tea number {number}")])
        newest_row = await database.run(lambda connection: connection.scalar(sa.select(SqliteMessageIndex.newest_row)))

        found = await store.search(HOME, "tea number", 100)

    assert newest_row == 64
    assert [each.id for each in found] == [str(number) for number in range(100, 0, -1)]


async def test_messages_before_a_last_message_of_the_bot_are_indexed():
    bot = Person(id="self", name="Bubbles", is_bot=True)
    async with Database("sqlite://") as database:
        store = SqlMessageStore(database)
        for number in range(1, 65):
            said = message(number, "tea")
            await store.add([said if number % 2 else replace(said, sender=bot)])

        assert await database.run(lambda connection: connection.scalar(sa.select(SqliteMessageIndex.newest_row))) == 63


async def test_message_is_stored_and_answered_when_its_index_fails():
    lines: list[str] = []
    sink = logger.add(lines.append, level="ERROR")
    async with Database("sqlite://") as database:
        store = SqlMessageStore(database)
        await database.run(without_index)
        is_new = [await store.add([message(number, "tea")]) for number in range(1, 66)]
        messages = await store.recent(HOME, 100)
    logger.remove(sink)

    assert set(is_new) == {(True,)}
    assert (len(messages), len(lines)) == (65, 1)


async def test_best_match_comes_first_whether_it_is_indexed_or_not():
    async with Database("sqlite://") as database:
        store = SqlMessageStore(database)
        await store.add([message(1, "green tea"), message(2, "black tea with milk")])
        await database.run(index_waiting)
        await store.add([message(3, "green grass"), message(4, "green tea with milk")])

        found = await store.search(HOME, "green tea milk today", 10)

    assert [each.id for each in found] == ["4", "2", "1"]


async def test_reading_unindexed_messages_reads_no_whole_chat():
    plans: list[str] = []

    def work(connection: sa.Connection) -> None:
        def explain(_: object, cursor: sqlite3.Cursor, statement: str, values: tuple[object, ...], *_rest: object):
            if "max(message_terms_docsize" in statement:
                plans.append(str(cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()))

        sa.event.listen(connection, "before_cursor_execute", explain)
        search(connection, HOME, ["tea"], 5)

    async with Database("sqlite://") as database:
        await database.run(work)

    assert len(plans) == 1
    assert "SEARCH message USING INTEGER PRIMARY KEY (rowid>?)" in plans[0]


async def test_index_is_intact_after_changes_of_messages_without_text():
    photo = Attachment(kind="photo", description="printer")
    async with Database("sqlite://") as database:
        store = SqlMessageStore(database)
        await store.add([message(1, "tea"), message(2, ""), replace(message(3, ""), attachments=(photo,))])
        for number in (2, 3):
            await store.edit(HOME, str(number), "a caption", NOW)
        for number in (3, 2, 1):
            await store.delete(HOME, str(number), NOW)
        await store.add([message(4, "tea")])
        check = "INSERT INTO message_terms(message_terms) VALUES('integrity-check')"
        await database.run(lambda connection: connection.exec_driver_sql(check))

        assert [each.id for each in await store.search(HOME, "tea", 10)] == ["4"]


async def test_index_without_descriptions_is_rebuilt_at_the_next_start(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    as_before = sa.update(META).where(META.c.key == "message_index").values(value="1")
    async with Database(url) as database:
        photo = Attachment(kind="photo", description="printer")
        await SqlMessageStore(database).add([replace(message(1, ""), attachments=(photo,))])
        await database.run(lambda connection: SqliteMessageIndex().create(connection))
        await database.run(lambda connection: connection.execute(as_before))

    async with Database(url) as database:
        found = await SqlMessageStore(database).search(HOME, "printer", 10)

    assert [each.id for each in found] == ["1"]


async def test_the_index_is_sound_after_edits_and_deletions():
    async with Database("sqlite://") as database:
        store = SqlMessageStore(database)
        await store.add([message(number, f"tea 茶 {number}") for number in range(50)])
        for number in range(25):
            await store.edit(HOME, str(number), "coffee 咖啡", NOW)
            await store.delete(HOME, str(number), NOW)
        check = "INSERT INTO message_terms(message_terms) VALUES('integrity-check')"
        await database.run(lambda connection: connection.exec_driver_sql(check))

        assert len(await store.search(HOME, "茶", 100)) == 25
        assert await store.search(HOME, "coffee", 100) == ()
