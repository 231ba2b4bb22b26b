"""Chats in few words, for the tests of summaries."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from services.kernel.chat import ChatAddress, ChatMessage, Person

HOME = ChatAddress(platform="test", chat_id="home")
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

Talk = Callable[..., list[ChatMessage]]


class StoredMessages:
    """A message source that holds what it was given."""

    def __init__(self, messages: Sequence[ChatMessage]) -> None:
        self._messages = list(messages)

    async def recent(self, address: ChatAddress, limit: int) -> Sequence[ChatMessage]:
        return [message for message in self._messages if message.address == address][-limit:]

    async def since(self, address: ChatAddress, when: datetime) -> Sequence[ChatMessage]:
        return [message for message in self._messages if message.address == address and message.sent_at >= when]


def talk(*lines: str, minutes_apart: float = 1.0, start: datetime = NOON) -> list[ChatMessage]:
    """Turn "ann: text" lines into messages m1, m2, …; "bubbles: …" is the bot."""
    messages = []
    for number, line in enumerate(lines):
        name, _, text = line.partition(": ")
        messages.append(
            ChatMessage(
                id=f"m{number + 1}",
                address=HOME,
                sender=Person(id=name, name=name.title(), is_bot=name == "bubbles"),
                text=text,
                sent_at=start + timedelta(minutes=minutes_apart * number),
            )
        )
    return messages


@pytest.fixture(name="talk", scope="session")
def talk_fixture() -> Talk:
    return talk


@pytest.fixture
def stored() -> Callable[[Sequence[ChatMessage]], StoredMessages]:
    return StoredMessages


@pytest.fixture
def home() -> ChatAddress:
    return HOME
