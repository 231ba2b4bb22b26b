"""Permissions for the tools of a source: every rule with every kind of viewer, listing and calling."""

import pytest
from msgspec.structs import replace

from function_calls.tools.permission import Viewer
from function_calls.toolsets.source import Access, ToolSource
from services.kernel.chat import ChatAddress, Person
from tests.unit.toolsets.conftest import FakeToolset

HOME, WORK = (ChatAddress(platform="fake", chat_id=each) for each in ("home", "work"))
ANN, BOB, EVE = (Person(id=each, name=each) for each in ("ann", "bob", "eve"))
BOSS = Person(id="boss", name="boss")
CHAT_ADMIN = Person(id="adam", name="adam", is_admin=True)
BOTS_OWNERS = ("fake:boss",)

VIEWERS = {
    "ann at home": (ANN, HOME),
    "ann at work": (ANN, WORK),
    "bob at home": (BOB, HOME),
    "eve at home": (EVE, HOME),
    "eve at work": (EVE, WORK),
    "a chat's admin at home": (CHAT_ADMIN, HOME),
    "the bot's owner at work": (BOSS, WORK),
}
RULES = {
    "public": (Access.of(None), set(VIEWERS)),
    "private": (Access.of({}), {"the bot's owner at work"}),
    "private of ann": (Access.of({}, owner="fake:ann"), {"ann at home", "ann at work", "the bot's owner at work"}),
    "shared with bob": (Access.of({"read": {"user_ids": ["fake:bob"]}}), {"bob at home", "the bot's owner at work"}),
    "shared with home": (
        Access.of({"read": {"group_ids": ["fake:home"]}}),
        {"ann at home", "bob at home", "eve at home", "a chat's admin at home", "the bot's owner at work"},
    ),
    "shared with bob and work": (
        Access.of({"read": {"user_ids": ["fake:bob"], "group_ids": ["fake:work"]}}),
        {"bob at home", "ann at work", "eve at work", "the bot's owner at work"},
    ),
    "of another platform": (Access.of({"read": {"user_ids": ["web:bob"]}}), {"the bot's owner at work"}),
    "nonsense": (Access.of({"read": "everybody"}), {"the bot's owner at work"}),
    "a word for private": (Access.of("private"), {"the bot's owner at work"}),
    "a list": (Access.of(["fake:bob"]), {"the bot's owner at work"}),
}
CASES = [(rule, who) for rule in RULES for who in VIEWERS]


@pytest.mark.parametrize(("rule", "who"), CASES, ids=[f"{rule} - {who}" for rule, who in CASES])
async def test_hidden_tool_is_uncallable_and_visible_tool_is_called(rule, who, context):
    access, admitted = RULES[rule]
    person, chat = VIEWERS[who]
    toolset = FakeToolset("fake", "open")
    guarded = ToolSource(label="fake", kind="openapi", toolset=toolset, access=access).restrict(BOTS_OWNERS)
    as_them = replace(context, message=replace(context.message, sender=person, address=chat))

    specs = await guarded.list_specs(Viewer(person=person, chat=chat))
    result = await guarded.call("open", {"text": "hi"}, as_them)

    assert bool(specs) is (who in admitted)
    assert result.ok is (who in admitted)
    assert bool(toolset.calls) is (who in admitted)
