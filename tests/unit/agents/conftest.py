"""Turns and scripted calls for tests of agents."""

from datetime import UTC, datetime

import pytest

from bot.testing.turns import make_context
from function_calls.tools.calls import ToolCall, Turn
from services.kernel.chat import ChatAddress, ChatMessage, Person

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def make_call(name, *, call_id="1", **arguments):
    """Return a call as an entry of a script."""
    return [ToolCall(id=call_id, name=name, arguments=arguments)]


@pytest.fixture
def message():
    return ChatMessage(
        id="m1",
        address=ChatAddress(platform="fake", chat_id="home"),
        sender=Person(id="ann", name="ann"),
        text="hello",
        sent_at=NOON,
        is_addressed=True,
    )


@pytest.fixture
def turn(message):
    return Turn(message=message, now=NOON, zone=UTC, language="en", bot_name="Bubbles", tools=())


@pytest.fixture
def context(message):
    return make_context(message)
