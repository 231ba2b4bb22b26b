"""Messages, contexts and turns for tests of function calls."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from function_calls.tools.calls import Turn
from function_calls.tools.context import CallContext, Services
from services.kernel.chat import ChatAddress, ChatMessage, Person

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


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
def context_of(message):
    """Make the context of a call; keyword arguments change the message."""

    def make(**changes):
        return CallContext(
            call_id="m1/0",
            message=replace(message, **changes),
            services=Services(),
            clock=FixedClock(NOON),
            now=NOON,
            zone=UTC,
            language="en",
        )

    return make


@pytest.fixture
def turn(message):
    return Turn(message=message, now=NOON, zone=UTC, language="en", bot_name="Bubbles", tools=())
