"""The pages of messages, and the counts of unread ones."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.storage.database import Database
from services.storage.messages.pages import MessageFilter, MessagePages, Unread
from services.storage.messages.store import SqlMessageStore

HOME = ChatAddress(platform="console", chat_id="home")
NOW = datetime(2026, 11, 20, tzinfo=UTC)


async def test_mentions_are_whole_names_and_words():
    texts = ("@Adam tea?", "@ada tea?", "teapot", "an @Ada2", "wir@ada.example", "Tea!", "今天吃饭吗")
    bob = Person(id="bob", name="Bob")
    messages = [
        ChatMessage(id=str(number), address=HOME, sender=bob, text=text, sent_at=NOW)
        for number, text in enumerate(texts)
    ]
    since = {HOME: NOW - timedelta(hours=1)}

    async with Database("sqlite://") as database:
        await SqlMessageStore(database).add(messages)
        unread = await MessagePages(database).unread(since, Person(id="ada", name="Ada"), ["@Ada", "tea", "吃饭"])

    assert unread == {HOME.key: Unread(messages=7, mentions=4)}


@pytest.mark.parametrize("sent_at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
async def test_message_from_the_end_of_the_calendar_is_read_in_every_zone(sent_at):
    eve = Person(id="eve", name="Eve")
    sent = ChatMessage(id="1", address=HOME, sender=eve, text="tea", sent_at=datetime.fromisoformat(sent_at))

    async with Database("sqlite://") as database:
        await SqlMessageStore(database).add([sent])
        [page] = await MessagePages(database).latest(MessageFilter(), limit=9)

    for zone in ("Pacific/Kiritimati", "Etc/GMT+12"):
        assert page.message.sent_at.astimezone(ZoneInfo(zone)).year in {1, 9999}
