"""A chat with a bot in memory: the real assistant, router and stores."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from bot.testing.models import ScriptedInterpreter
from function_calls.conversation.assistant import Assistant
from function_calls.conversation.switch_command import ToolCommands
from function_calls.functions.undo import undo
from function_calls.functions.undo.undo import UndoService
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, Turn
from function_calls.tools.context import CallContext, Services
from function_calls.tools.permission import Viewer
from function_calls.tools.policy import CallPolicy
from function_calls.understanding.interpreter import OfflineInterpreter
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.languages import language_of
from services.kernel.state import MemoryStateStore

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def call(name, /, **arguments):
    return ToolCall(id=f"call-{name}", name=name, arguments=arguments)


class Room:
    """A chat whose model plays `script`, message by message; without a script the bot is offline."""

    def __init__(self, *functions, script=None, owners=(), services=(), recent=()):
        self.clock = FixedClock(NOON)
        self.store = MemoryStateStore(self.clock)
        self.policy = CallPolicy.create(self.store, self.clock, owners)
        registry = Registry(injectable=(UndoService, *(type(each) for each in services)))
        registry.collect(undo)
        registry.register(functions)
        self.router = FunctionCallRouter(registry, policy=self.policy)
        self.services = Services(UndoService(self.router, self.policy.change_log), *services)
        self.recent = tuple(recent)
        offline = OfflineInterpreter()
        self.model = offline if script is None else ScriptedInterpreter(script)
        self.assistant = Assistant(
            self.router,
            self.model,
            rules=offline,
            context_for=self.context,
            commands=[ToolCommands(self.router, self.policy)],
        )
        self._number = 0

    def message(self, text="hello", *, sender="ann", chat="home", platform="fake", **fields):
        self._number += 1
        person = Person(id=sender, name=sender, is_admin=fields.pop("is_admin", False))
        return ChatMessage(
            id=f"m{self._number}",
            address=ChatAddress(platform=platform, chat_id=chat),
            sender=person,
            text=text,
            sent_at=self.clock.now(),
            is_addressed=True,
            **fields,
        )

    async def turn(self, message):
        return Turn(
            message=message,
            now=self.clock.now(),
            zone=UTC,
            language=language_of(message.text, "en"),
            bot_name="Bubbles",
            tools=await self.router.list_specs(Viewer.of(message)),
            recent=self.recent,
        )

    def context(self, turn, place=0):
        return CallContext(
            call_id=f"{turn.message.id}/{len(turn.steps)}.{place}",
            message=turn.message,
            services=self.services,
            clock=self.clock,
            now=turn.now,
            zone=UTC,
            language=turn.language,
            policy=self.policy,
        )

    async def say(self, text, **fields):
        reply = await self.assistant.answer(await self.turn(self.message(text, **fields)))
        return None if reply is None else reply.text_with_hint

    async def dispatch(self, made, **fields):
        changes = {key: fields.pop(key) for key in ("approved", "requested_tools", "is_undoing") if key in fields}
        turn = await self.turn(self.message(**fields))
        return await self.router.dispatch(made, replace(self.context(turn), **changes))


@pytest.fixture
def room():
    return Room
