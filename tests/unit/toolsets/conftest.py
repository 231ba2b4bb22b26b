"""Fake toolsets and their viewers."""

import pytest
from msgspec.structs import replace

from bot.testing.turns import make_context
from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.toolset import Viewer, unknown_tool

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
    return make_context()


@pytest.fixture
def viewer(context):
    return Viewer.of(context.message)


@pytest.fixture
def admins_context(context):
    admin = replace(context.message.sender, is_admin=True)
    return replace(context, message=replace(context.message, sender=admin))
