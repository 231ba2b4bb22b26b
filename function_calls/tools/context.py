"""Provide the context of a call: caller, chat, time, session state and services."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Final, TypeVar, cast

from loguru import logger
from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel

from function_calls.tools.calls import Conversation, Form, ToolCall, ToolResult, message_time
from function_calls.tools.permission import Viewer
from function_calls.tools.policy import CallPolicy
from function_calls.tools.session_state import CallState
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.clock import Clock
from services.language_model.ports import TextListener

if TYPE_CHECKING:
    from loguru import Logger

    from function_calls.router import FunctionCallRouter

Value = TypeVar("Value")
Service = TypeVar("Service")
Progress = Callable[[str], Awaitable[None]]
Members = Callable[[], Awaitable[Sequence[Person]]]
PROGRAM: Final = "program"
"""The entry point of calls of an agent that a program runs."""


class ChangeFlag(Struct, kw_only=True):
    """A flag that a change has begun and must finish even if its caller is cancelled."""

    is_set: bool = False


async def finish_if_started(work: Callable[[ChangeFlag], Awaitable[Value]]) -> Value:
    """Run `work`; a cancellation stops it before it sets the flag, and waits for its end afterwards.

    Raises:
        asyncio.CancelledError: the caller was cancelled, and `work` has ended.
    """
    flag = ChangeFlag()
    task = asyncio.ensure_future(work(flag))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not flag.is_set:
            task.cancel()
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        raise


class Services:
    """The services of one bot, found by their class."""

    def __init__(self, *services: object) -> None:
        self._by_class: dict[type[object], object] = {type(service): service for service in services}

    def add(self, service: object) -> None:
        """Register a service."""
        self._by_class[type(service)] = service

    def get(self, wanted: type[Service]) -> Service:
        """Return the service of the class `wanted`.

        Raises:
            LookupError: no such service was wired in `build_app`.
        """
        found = self._by_class.get(wanted)
        if found is None:
            found = next((service for service in self._by_class.values() if isinstance(service, wanted)), None)
        if found is None:
            raise LookupError(f"no service of class {wanted.__name__}; pass it to build_app(services=…)")
        return cast("Service", found)

    def has(self, *classes: type[object]) -> bool:
        """Return whether all of `classes` are registered."""
        return self._by_class.keys() >= {*classes}


class Actions(Struct, kw_only=True):
    """Requests of a tool to the calling agent, which apply if the call succeeds.

    `transfer_to_agent` is the sub-agent that continues the turn; `escalate` ends the run and an enclosing loop;
    `output` is the structured answer.
    """

    transfer_to_agent: str | None = None
    escalate: bool = False
    output: BaseModel | None = None

    @property
    def end_the_run(self) -> bool:
        """Return whether the calling agent ends its run without another round of its model."""
        return self.escalate or self.transfer_to_agent is not None or self.output is not None


async def _ignore_progress(text: str) -> None:
    """Ignore progress."""


async def _no_members() -> Sequence[Person]:
    """Return no members: there is no platform."""
    return ()


class CallContext(Struct, frozen=True, kw_only=True):
    """The context of a call, injected by annotation and never part of a schema.

    Attributes:
        call_id: unique per call, and the same when a message is delivered twice, so usable as a request key.
        now: timezone-aware in `zone`, the zone of the sender.
        state: the session state; changes are stored when the call succeeds.
        agent_name: the calling agent; empty outside of agents.
        invocation_id: the same for all calls of one turn.
        progress: sends the person the progress of the call.
        link_of: returns the address of a message of this chat by its id; None without links.
        members: returns the members of the chat; empty if the platform does not provide them.
        entry_point: the source of a call outside of turns, such as `http`.
        approved: the call that the person has confirmed.
        form: the person's answers to the questions of the tool in the same call before.
        instead_of_call: the result of a call that must not run: its question to the person, or its refusal.
        requested_tools: the tools that the message requests, if the turn contains untrusted text; else None.
        has_shown: returns whether the turn contains a text.
        policy: the policy for routers without their own, such as those of agents.
        is_undoing: a change is being undone.
        is_operator: the caller is an admin of the bot itself.
        confirmed_by: the message that confirmed the call of an earlier message.
        change_flag: set when a call begins to change something.
        on_text: receives the streamed answer of the call, if nobody else in the round streams.
        enclosing: the routers whose hooks, listeners and records apply to this call, outermost first.
        parent_call_id: the `call_id` of the call that makes this call; empty without one.
    """

    call_id: str
    message: ChatMessage
    services: Services
    clock: Clock
    now: datetime
    zone: tzinfo
    language: str
    state: CallState = field(default_factory=CallState)
    actions: Actions = field(default_factory=Actions)
    agent_name: str = ""
    invocation_id: str = ""
    progress: Progress = _ignore_progress
    link_of: Callable[[str], str | None] = lambda _: None
    members: Members = _no_members
    entry_point: str = "chat"
    approved: ToolCall | None = None
    form: Form | None = None
    instead_of_call: ToolResult | None = None
    requested_tools: frozenset[str] | None = None
    has_shown: Callable[[str], bool] = lambda _: False
    policy: CallPolicy | None = None
    is_undoing: bool = False
    is_operator: bool = False
    confirmed_by: ChatMessage | None = None
    change_flag: ChangeFlag | None = None
    on_text: TextListener | None = None
    enclosing: "tuple[FunctionCallRouter, ...]" = ()
    parent_call_id: str = ""

    def within(self, *routers: "FunctionCallRouter") -> "CallContext":
        """Return the context with `routers` as further enclosing routers, each once."""
        return replace(self, enclosing=tuple(dict.fromkeys((*self.enclosing, *routers))))

    @property
    def chat(self) -> ChatAddress:
        """The chat of the message."""
        return self.message.address

    @property
    def message_time(self) -> datetime:
        """The time for relative times in the message, see `calls.message_time`."""
        return message_time(self.message, self.now)

    @property
    def sender(self) -> Person:
        """The sender of the message."""
        return self.message.sender

    @property
    def reply_target(self) -> ChatMessage:
        """The message that the answer of the call replies to: the confirmation, if there is one."""
        return self.confirmed_by or self.message

    @property
    def viewer(self) -> Viewer:
        """The sender as subject of access rules."""
        message = self.message
        return Viewer(
            person=message.sender,
            chat=message.address,
            is_private=message.is_private,
            is_operator=self.is_operator,
        )

    @property
    def conversation(self) -> Conversation:
        """The person and the chat, whose key is that of the session of `state`."""
        return Conversation(chat=self.message.address, person=self.message.sender)

    @property
    def logger(self) -> "Logger":
        """The logger, bound to chat, call and agent."""
        return logger.bind(chat=str(self.chat), call=self.call_id, agent=self.agent_name)


async def is_for_bot(context: CallContext, history: HistoryService) -> bool:
    """Return whether the message is addressed to the bot, private, or directly after a message of the bot."""
    if context.message.is_for_bot:
        return True
    before = await history.before(context.message, 1)
    return bool(before) and before[-1].sender.is_bot
