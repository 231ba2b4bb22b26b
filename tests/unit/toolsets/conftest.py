from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.testing.clocks import FixedClock
from function_calls.calls import ToolResult, ToolSpec
from function_calls.context import CallContext, Services
from function_calls.toolset import Viewer, unknown_tool
from services.chat import ChatAddress, ChatMessage, Person

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class FakeToolset:
    """Tools by name that answer who they are; `hidden` are listed for nobody, `calls` are those that were made."""

    def __init__(self, label, *names):
        self.label = label
        self.specs = tuple(ToolSpec(name=name, description=f"{name} of {label}", parameters=TEXT) for name in names)
        self.calls = []

    async def list_specs(self, viewer):
        return self.specs

    async def call(self, name, arguments, context):
        if name not in [spec.name for spec in self.specs]:
            return unknown_tool(name, (spec.name for spec in self.specs), context.language)
        self.calls.append((name, dict(arguments)))
        return ToolResult(ok=True, text=f"{self.label}.{name}")


@pytest.fixture
def context():
    message = ChatMessage(
        id="m1",
        address=ChatAddress(platform="fake", chat_id="home"),
        sender=Person(id="ann", name="ann"),
        text="hello",
        sent_at=NOON,
        is_addressed=True,
    )
    return CallContext(
        call_id="m1/0",
        message=message,
        services=Services(),
        clock=FixedClock(NOON),
        now=NOON,
        zone=UTC,
        language="en",
    )


@pytest.fixture
def viewer(context):
    return Viewer.of(context.message)


@pytest.fixture
def admins_context(context):
    admin = replace(context.message.sender, is_admin=True)
    return replace(context, message=replace(context.message, sender=admin))
