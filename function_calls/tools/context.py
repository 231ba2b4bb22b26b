"""Provide a running tool with its caller, chat, time and services."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
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

Value = TypeVar("Value")

PROGRAM: Final = "program"
"""The entry point of calls in the run of an agent that a program started."""


class Started(Struct, kw_only=True):
    """A flag set when a change has begun: from then on it is finished even if its caller is cancelled."""

    is_set: bool = False


async def finish_if_started(work: Callable[[Started], Awaitable[Value]]) -> Value:
    """Run `work`; a cancellation stops it before it has begun, and waits for its end afterwards.

    Raises:
        asyncio.CancelledError: the caller was cancelled; `work` has ended when this is raised.
    """
    started = Started()
    task = asyncio.ensure_future(work(started))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not started.is_set:
            task.cancel()
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        raise


if TYPE_CHECKING:
    from loguru import Logger

    from function_calls.router import FunctionCallRouter

Service = TypeVar("Service")
Progress = Callable[[str], Awaitable[None]]
Members = Callable[[], Awaitable[Sequence[Person]]]


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

    def classes(self) -> Iterable[type[object]]:
        """Return the classes that a tool may name in its annotations."""
        return self._by_class.keys()


class Actions(Struct, kw_only=True):
    """Requests of a tool to the agent that called it; honoured when the call succeeds.

    `transfer_to_agent` names a sub-agent that is to go on with the turn; `escalate` ends the agent's run, and with it
    the loop that it is part of; `output` is the answer of an agent that has to give one of a certain form.
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


def _no_link(message_id: str) -> str | None:
    """Return no link: messages have none here."""
    del message_id
    return None


async def _no_members() -> Sequence[Person]:
    """Return an empty tuple: no platform can be asked."""
    return ()


def _is_not_shown(text: str) -> bool:
    """Return False: there is no turn."""
    del text
    return False


class CallContext(Struct, frozen=True, kw_only=True):
    """The circumstances of one call; injected by annotation, never part of a schema.

    Attributes:
        call_id: unique per call and the same when a message is delivered twice, so it serves as a request key.
        now: timezone-aware in `zone`, the zone of the person who asks.
        state: the session state; what a call writes there is stored when it succeeds.
        agent_name: the calling agent; empty outside of agents.
        invocation_id: the same for all calls of one turn.
        progress: tells the person how far the call is.
        link_of: returns the address that opens a message of this chat, by its id; None where there is none.
        members: asks the platform who is in the chat; empty where it does not tell.
        entry_point: the source of a call that belongs to no turn, such as `http`.
        approved: the call that the person has confirmed.
        form: the person's answers to what the tool asked when the same call was made before.
        withheld: the result of a call that must not run as it is: its question to the person, or its refusal.
        asked_for: the tools that the person's own words ask for, once untrusted text is in the turn; else None.
        has_shown: tells whether a text is contained in the turn as it is.
        policy: the policy of routers that have none of their own, such as an agent's.
        is_undoing: whether a change is undone.
        is_operator: whether an admin of the bot itself makes the call.
        confirmed_by: the message that confirmed a call which an earlier message asked for.
        started: set as soon as a call begins to change something.
        on_text: streams the call's own answer, where somebody watches and no other call of the round answers.
        enclosing: the routers whose hooks, listeners and records apply to this call, outermost first.
        parent_call_id: the `call_id` of the call that makes this one; empty where none does.
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
    link_of: Callable[[str], str | None] = _no_link
    members: Members = _no_members
    entry_point: str = "chat"
    approved: ToolCall | None = None
    form: Form | None = None
    withheld: ToolResult | None = None
    asked_for: frozenset[str] | None = None
    has_shown: Callable[[str], bool] = _is_not_shown
    policy: CallPolicy | None = None
    is_undoing: bool = False
    is_operator: bool = False
    confirmed_by: ChatMessage | None = None
    started: Started | None = None
    on_text: TextListener | None = None
    enclosing: "tuple[FunctionCallRouter, ...]" = ()
    parent_call_id: str = ""

    def within(self, *routers: "FunctionCallRouter") -> "CallContext":
        """Return the context of a call that runs under `routers` beside those it has, each once."""
        return replace(self, enclosing=tuple(dict.fromkeys((*self.enclosing, *routers))))

    @property
    def chat(self) -> ChatAddress:
        """The chat that the message was written in."""
        return self.message.address

    @property
    def message_time(self) -> datetime:
        """The time from which times in the message count: `now`, or when it was sent if it waited for the bot."""
        return message_time(self.message, self.now)

    @property
    def sender(self) -> Person:
        """Return the person who asked."""
        return self.message.sender

    @property
    def answered(self) -> ChatMessage:
        """The message whose answer shows the call: the one with the yes where there is one."""
        return self.confirmed_by or self.message

    @property
    def viewer(self) -> Viewer:
        """The person for whom the call is checked against the access rules."""
        message = self.message
        return Viewer(
            person=message.sender,
            chat=message.address,
            is_private=message.is_private,
            is_operator=self.is_operator,
        )

    @property
    def conversation(self) -> Conversation:
        """Return the person and chat; its key names the session of `state`."""
        return Conversation(chat=self.message.address, person=self.message.sender)

    @property
    def logger(self) -> "Logger":
        """The log, with the chat, the call and the agent bound to each line."""
        return logger.bind(chat=str(self.chat), call=self.call_id, agent=self.agent_name)


async def is_for_bot(context: CallContext, history: HistoryService) -> bool:
    """Return whether the message is for the bot: by its name, in private, or because it comes right after the bot."""
    if context.message.is_addressed or context.message.is_private:
        return True
    before = await history.before(context.message, 1)
    return bool(before) and before[-1].sender.is_bot
