"""Deletion of old messages by the settings of the bot and of each chat."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from services.kernel.chat import Attachment, ChatAddress, ChatMessage, Person
from services.people.privacy import DataScope, DeletedMessage, PrivacyService
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
from services.storage.people.privacy import SqlPrivacyStore

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
CHATS = {name: ChatAddress(platform="console", chat_id=name) for name in ("short", "long", "usual")}


@pytest.fixture
async def database():
    async with Database("sqlite://") as opened:
        yield opened


async def count_after_purge(database: Database, keep_days: int) -> dict[str, int]:
    """Purge three chats that keep 2 days, everything and `keep_days`; return the number of messages left in each."""
    messages = SqlMessageStore(database)
    privacy = PrivacyService(SqlPrivacyStore(database), keep_days=keep_days)
    for name, address in CHATS.items():
        await messages.add(
            [
                ChatMessage(
                    id=f"{name}{day}",
                    address=address,
                    sender=Person(id="ann", name="Ann"),
                    text="tea",
                    sent_at=NOW - timedelta(days=day, hours=1),
                )
                for day in range(10)
            ]
        )
    await privacy.set_retention_days(CHATS["short"], 2)
    await privacy.set_retention_days(CHATS["long"], 0)
    await privacy.purge(NOW)
    return {name: len(await messages.recent(address, 50)) for name, address in CHATS.items()}


async def test_each_chat_keeps_messages_for_its_own_time(database):
    assert await count_after_purge(database, 5) == {"short": 2, "long": 10, "usual": 5}


async def test_without_a_setting_only_chats_with_a_rule_are_purged(database):
    assert await count_after_purge(database, 0) == {"short": 2, "long": 10, "usual": 10}


async def test_chat_without_a_rule_uses_the_setting(database):
    privacy = PrivacyService(SqlPrivacyStore(database), keep_days=5)
    await privacy.set_retention_days(CHATS["short"], 2)
    await privacy.set_retention_days(CHATS["usual"], 7)
    await privacy.set_retention_days(CHATS["usual"], None)

    assert (await privacy.retention_days(CHATS["short"]), await privacy.retention_days(CHATS["usual"])) == (2, 5)


async def test_other_stores_delete_a_forgotten_person(database: Database):
    messages: list[str] = []
    privacy = PrivacyService(SqlPrivacyStore(database), on_forgotten=messages.append)

    await privacy.forget(DataScope(address=CHATS["usual"], person=Person(id="ann", name="Ann")), NOW)

    assert messages == ["ann"]


async def test_earlier_records_are_not_stored_after_the_removal(database: Database):
    order: list[str] = []

    class Watched(SqlPrivacyStore):
        async def erase(self, scope, at):
            order.append("erased")
            return await super().erase(scope, at)

    async def settle() -> None:
        order.append("settled")

    privacy = PrivacyService(Watched(database), settle=settle)
    await privacy.forget(DataScope(address=CHATS["usual"], person=Person(id="ann", name="Ann")), NOW)

    assert order == ["settled", "erased"]


@pytest.mark.parametrize(
    "delete",
    [
        lambda privacy: privacy.purge(NOW),
        lambda privacy: privacy.forget(DataScope(address=CHATS["usual"], person=Person(id="ann", name="Ann")), NOW),
    ],
    ids=["purge", "forget"],
)
async def test_files_are_deleted_before_the_messages_that_name_them(database: Database, delete):
    messages, chat = SqlMessageStore(database), CHATS["usual"]
    file = Attachment(kind="file", description="plan.txt", url="/files/1/plan.txt")
    old = {"sender": Person(id="ann", name="Ann"), "sent_at": NOW - timedelta(days=9)}
    await messages.add([ChatMessage(id="1", address=chat, text="", attachments=(file,), **old)])

    async def fail(deleted: Sequence[DeletedMessage]) -> None:
        raise OSError(deleted[0].files)

    privacy = PrivacyService(SqlPrivacyStore(database), keep_days=5, on_deleted=fail)
    with pytest.raises(OSError, match="plan"):
        await delete(privacy)

    message = await messages.find(chat, "1")
    assert message is not None
    assert message.attachments == (file,)
