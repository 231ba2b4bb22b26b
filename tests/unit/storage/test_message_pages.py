"""The counts of unread messages."""

from datetime import UTC, datetime, timedelta

from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.storage.database import Database
from services.storage.messages.pages import MessagePages, Unread
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
