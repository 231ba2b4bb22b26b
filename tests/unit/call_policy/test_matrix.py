"""Permissions of all functions at all entry points, for all roles and chat types."""

import itertools
import re
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from bot.app.registry import built_in_registry
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.validation.schema_validator import SchemaValidator
from tests.unit.call_policy.conftest import Room

OWNERS = {"fake:olga", "other:olga"}
ROLES = {
    "owner": {"sender": "olga"},
    "admin": {"sender": "adam", "is_admin": True},
    "listed": {"sender": "lisa"},
    "member": {"sender": "mary"},
}
PLACES = {
    "group": {"chat": "home"},
    "private": {"chat": "dm", "is_private": True},
    "elsewhere": {"chat": "home", "platform": "other"},
}
DOORS = ("dispatch", "model", "offline")
PERMISSIONS = {
    "everyone": {"owner", "admin", "listed", "member"},
    "admins": {"owner", "admin"},
    "owner": {"owner"},
    ("fake:lisa", "other:lisa"): {"listed"},
}
SCOPES = {"any": {"group", "private", "elsewhere"}, "group": {"group", "elsewhere"}, "private": {"private"}}
PLATFORMS = {(): {"group", "private", "elsewhere"}, ("other",): {"elsewhere"}}
SAID = {
    "reminder_set": "remind me tomorrow at 17:00 to call Ann",
    "reminder_list": "list my reminders",
    "reminder_delete": "delete reminder 1",
    "reminder_update": "move the tea reminder to tomorrow at 17:00",
    "reminder_snooze": "snooze for 10 minutes",
    "perplexity_search": "search the web for cats",
    "summary": "summarize the chat",
    "undo": "undo that",
}


@dataclass(frozen=True)
class Declared:
    """A function, a sentence that calls it, and its declared roles and chat types."""

    function: object
    sentence: str
    roles: set
    places: set

    @property
    def name(self):
        return self.function.__name__


def declare(permission, scope, platforms):
    word = permission if isinstance(permission, str) else "listed"
    name = f"frob_{word}_{scope}_{'other' if platforms else 'all'}"
    sentence = name.replace("_", " ")

    async def frob() -> str:
        """Frob."""
        return "frobbed"

    frob.__name__ = name
    function = tool_function(
        permission=permission, scope=scope, platforms=platforms, returns="reply", examples=[sentence]
    )(frob)
    places = SCOPES[scope] & PLATFORMS[platforms]
    return Declared(function=function, sentence=sentence, roles=PERMISSIONS[permission], places=places)


TAKES_ANYTHING = {"validator": SchemaValidator({"type": "object"}), "instantiate": dict}
DECLARED = [declare(*each) for each in itertools.product(PERMISSIONS, SCOPES, PLATFORMS)]


REGISTRY = built_in_registry()
BUILT_IN = {tool.name: tool for tool in REGISTRY}
OFFERED = {name: tool for name, tool in BUILT_IN.items() if not tool.options.is_only_for_undo}


class Spied(Room):
    """A chat whose functions only record their calls."""

    def __init__(self, *functions, built_in=False, script=None):
        super().__init__(*functions, owners=OWNERS, script=script)
        if built_in:
            self.router.registry = REGISTRY
        self.reached = []
        tools = self.router.registry._tools
        for name, tool in tools.items():
            options = replace(tool.options, confirm=False)  # whom it asks first is another matter
            tools[name] = replace(tool, invoke=self.spy(name), options=options, **TAKES_ANYTHING)

    def spy(self, name):
        async def reach(arguments, context):
            self.reached.append(name)
            return ToolResult(ok=True, text="done")

        return reach


async def is_reached(room_of, name, arguments, sentence, door, who):
    made = ToolCall(id="1", name=name, arguments=arguments)
    room = room_of(script=None if door == "offline" else [[made], "so"])
    await call_functions(room, made, sentence or "go on", door, who)
    return name in room.reached


async def call_functions(room, made, sentence, door, who):
    if door == "dispatch":
        await room.dispatch(made, **who)
    else:
        await room.say(sentence, **who)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("tool", DECLARED, ids=lambda tool: tool.name)
async def test_function_is_reached_by_its_declared_people_and_places(tool, door):
    reached = {
        (role, place)
        for role, place in itertools.product(ROLES, PLACES)
        if await is_reached(
            lambda script: Spied(tool.function, script=script),
            tool.name,
            {},
            tool.sentence,
            door,
            ROLES[role] | PLACES[place],
        )
    }

    assert reached == set(itertools.product(tool.roles, tool.places))


def sentence_of(name):
    """Return a sentence that calls the function offline; empty if only a model can call it."""
    examples = sorted(OFFERED[name].options.examples, key=lambda example: "{" in example)
    return SAID.get(name) or re.sub(r"\{\w+\}", "tea", next(iter(examples), ""))


CASES = [(name, door) for name in OFFERED for door in DOORS if door != "offline" or sentence_of(name)]


@pytest.mark.parametrize(("name", "door"), CASES)
async def test_built_in_function_is_reached_by_its_declared_people_and_places(name, door):
    tool = OFFERED[name]
    reached = {
        (role, place)
        for role, place in itertools.product(ROLES, PLACES)
        if await is_reached(
            lambda script: Spied(built_in=True, script=script),
            name,
            {},
            sentence_of(name),
            door,
            ROLES[role] | PLACES[place],
        )
    }
    roles = PERMISSIONS[tool.options.permission]

    assert reached == set(itertools.product(roles, SCOPES[tool.options.scope] & PLATFORMS[tool.options.platforms]))


@pytest.mark.parametrize(("name", "door"), CASES)
async def test_disabled_function_is_unreachable(name, door):
    made = ToolCall(id="1", name=name, arguments={})
    for role in ROLES.values():
        room = Spied(built_in=True, script=None if door == "offline" else [[made], "no"])
        await room.say(f"/tools off {name}", sender="adam", is_admin=True)
        await call_functions(room, made, sentence_of(name) or "go on", door, role)

        assert name not in room.reached


@pytest.mark.parametrize("name", sorted(BUILT_IN.keys() - OFFERED.keys()))
@pytest.mark.parametrize("role", ROLES)
async def test_inverse_is_reached_by_undo_only(name, role):
    made = ToolCall(id="1", name=name, arguments={})
    room = Spied(built_in=True)
    await room.dispatch(made, **ROLES[role])
    before = list(room.reached)
    await room.dispatch(made, is_undoing=True, **ROLES[role])

    assert before == []
    assert room.reached == [name]
