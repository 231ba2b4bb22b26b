"""Call tools for a person in a room, with the checks of a chat, and offer tools that the person's page runs."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Final

from fastapi import Depends, Request
from msgspec import Struct
from msgspec.structs import replace

from bot.http.core.bodies import IN_ROOM
from bot.http.core.context import HttpContext
from bot.http.core.errors import REFUSED_STATUS, HttpRefused, join_problems, request_language
from bot.http.core.tokens import Scope
from bot.http.rooms.memberships import LOBBY, enter_room
from bot.http.security.auth import NAME, ApiViewer, needs
from bot.platforms.web.rooms import Listener
from function_calls.tools.calls import ToolCall, ToolResult, Turn
from function_calls.tools.declaration.argument_validation import repair_arguments
from function_calls.tools.dispatch.execution import is_disk_full
from function_calls.tools.errors import ArgumentError, ArgumentsInvalid
from function_calls.tools.permission import Viewer
from function_calls.tools.session_state import CallState, Session
from function_calls.tools.validation.argument_messages import argument_of, argument_problems
from function_calls.tools.validation.schema_validator import SchemaValidator
from services.kernel.chat import ChatMessage, Person

ENTRY_POINT = "http"
_ANSWERED_WITHIN: Final = 60.0  # seconds


@contextmanager
def offer_direct_tools(
    context: HttpContext,
    session_id: str,
    person: Person,
    tool_servers: Sequence[object],
    page: Listener | None = None,
) -> Iterator[None]:
    """Offer the tools of `tool_servers` to a person in a room while the context is open.

    `page` is the socket of the page that sent the message, if any; it runs the tools.
    """

    async def run_in_page(event: Mapping[str, object]) -> object:
        """Send `execute:tool` to the pages of the person, and return the first answer."""
        data = event["data"]
        call = data if isinstance(data, Mapping) else {}
        async with asyncio.timeout(_ANSWERED_WITHIN):
            answer = await context.room.client_calls.ask(context.room.room(session_id), person.id, call, page=page)
        error = answer.get("error")
        return {"error": error} if error else answer.get("result")

    if not tool_servers:
        yield
        return
    viewer = Viewer(person=person, chat=context.room.address(session_id))
    with context.app.tools.direct.offer(viewer, tool_servers, session_id=session_id, event_call=run_in_page):
        yield


class Caller(Struct, frozen=True, kw_only=True):
    """A person who calls tools in a room, with their language and words. Calls with the same `key` are one call."""

    viewer: ApiViewer
    session_id: str
    language: str
    text: str = ""
    key: str = ""

    @classmethod
    def of(cls, request: Request, viewer: ApiViewer, session_id: str) -> "Caller":
        """Read the caller of a request; its header `Idempotency-Key` is the key."""
        key = request.headers.get("idempotency-key", "")[:200]
        return cls(viewer=viewer, session_id=session_id, language=request_language(request), key=key)


def caller_with(scope: Scope) -> Callable[..., Awaitable[Caller]]:
    """Return a dependency that reads the caller of a request with a room in its query, who needs `scope`."""

    async def read_caller(
        request: Request,
        viewer: Annotated[ApiViewer, Depends(needs(scope))],
        session_id: IN_ROOM = LOBBY,
        name: NAME = None,
    ) -> Caller:
        return Caller.of(request, viewer.with_name(name), session_id)

    return read_caller


ToolCaller = Annotated[Caller, Depends(caller_with("tools"))]


async def create_turn(context: HttpContext, caller: Caller) -> Turn:
    """Create a turn of the room, as if the person had written the text there.

    Raises:
        HttpRefused: the person does not belong to the room (403).
    """
    await enter_room(context, caller.viewer, caller.session_id)
    key = caller.key or uuid.uuid4().hex
    message = ChatMessage(
        id=f"http-{key}",
        address=context.room.address(caller.session_id),
        sender=caller.viewer.person,
        text=caller.text,
        sent_at=context.clock.now(),
        is_addressed=True,
    )
    turn = await context.app.turns.turn(message)
    return turn if caller.text else replace(turn, language=caller.language)


def tool_viewer(context: HttpContext, viewer: ApiViewer, session_id: str) -> Viewer:
    """Return the viewer for whom the tools of a room are listed."""
    return Viewer(person=viewer.person, chat=context.room.address(session_id), is_operator=viewer.is_operator)


async def call_tool(
    context: HttpContext,
    turn: Turn,
    name: str,
    arguments: Mapping[str, object],
    *,
    is_confirmed: bool = True,
    is_operator: bool = False,
) -> ToolResult:
    """Call a tool; `is_confirmed` if the person has confirmed the call in their program.

    With `is_operator` the access rules of tools do not apply.

    Raises:
        HttpRefused: the disk is full (503).
    """
    call = ToolCall(id=f"{ENTRY_POINT}-{turn.message.id}", name=name, arguments=arguments)
    session = await Session.open(context.app.infrastructure.scope_store, turn.conversation)
    call_context = replace(
        context.app.turns.context(turn, 0),
        call_id=f"{ENTRY_POINT}/{turn.message.address.key}/{turn.message.sender.id}/{turn.message.id}",
        state=CallState(session),
        entry_point=ENTRY_POINT,
        approved=call if is_confirmed else None,
        is_operator=is_operator,
    )
    result = await context.app.calls.dispatch(call, call_context)
    if is_disk_full(result):
        raise HttpRefused(503, "disk_full")
    return result


async def check_arguments(
    context: HttpContext,
    turn: Turn,
    name: str,
    arguments: Mapping[str, object],
    *,
    is_for_model: bool = False,
    is_operator: bool = False,
) -> Mapping[str, object]:
    """Check the arguments of a call without making it, and return them.

    Problems are described in the language of `turn`. With `is_for_model` the arguments are repaired if possible, and
    problems are described for a model, in English and with the values.

    Raises:
        HttpRefused: the person may use no tool of this name (404), or the arguments are invalid (422, by field).
    """
    viewer = replace(Viewer.of(turn.message), is_operator=is_operator)
    specs = await context.app.calls.list_specs(viewer)
    spec = next((each for each in specs if each.name == name), None)
    if spec is None:
        raise HttpRefused(404, "tool_unknown", tool=name)
    tool = context.app.calls.registry.get(name)
    validator = SchemaValidator(spec.parameters) if tool is None else tool.validator
    if is_for_model:
        arguments = repair_arguments(validator, arguments)
    problems = validator.validate(arguments)
    if problems and is_for_model:
        text = ArgumentsInvalid(name, problems).for_model()
        raise HttpRefused(422, "arguments_invalid", problems=_by_field(problems), told=text)
    if problems:
        by_field = argument_problems(turn.language, problems)
        raise HttpRefused(422, "arguments_invalid", problems=by_field, told=join_problems(turn.language, by_field))
    return arguments


def require_success(result: ToolResult) -> ToolResult:
    """Return `result` if the call succeeded.

    Raises:
        HttpRefused: it failed; the message has the text of the tool.
    """
    if result.ok:
        return result
    if result.failure == "denied":
        raise HttpRefused(403, "call_denied", why=result.text or result.error)
    if result.ending == "question":
        raise HttpRefused(409, "call_question", why=result.text)
    raise HttpRefused(REFUSED_STATUS.get(result.cause, 422), "call_failed", why=result.text or result.error)


def _by_field(problems: list[ArgumentError]) -> dict[str, str]:
    """Group the problems by argument; a missing argument is listed under its own name."""
    fields: dict[str, str] = {}
    for problem in problems:
        fields.setdefault(argument_of(problem), problem.message)
    return fields
