"""Call tools over HTTP for a person of a room, with the checks of a chat, and tools that run in the person's page."""

import asyncio
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import HTTPConnection

from bot.http.core.context import HttpContext
from bot.http.core.errors import REFUSED_STATUS, HttpRefused, in_one_line, language_asked
from bot.http.rooms.memberships import enter_room
from bot.http.security.auth import Viewer
from bot.platforms.web.room import Listener
from function_calls.tools.calls import Conversation, ToolCall, ToolResult, Turn
from function_calls.tools.declaring.argument_validation import repair_arguments
from function_calls.tools.dispatch.execution import is_disk_full
from function_calls.tools.errors import ArgumentError, ArgumentsInvalid
from function_calls.tools.permission import Viewer as ToolViewer
from function_calls.tools.permission import Viewer as ToolsFor
from function_calls.tools.session_state import CallState, Session
from function_calls.tools.validation.argument_messages import argument_of, argument_problems
from function_calls.tools.validation.schema_validator import SchemaValidator
from services.kernel.chat import ChatMessage, Person
from services.storage.people.state import SqlScopeStore

ENTRY_POINT = "http"
_ANSWERED_WITHIN: Final = 60.0  # seconds


class DirectTools:
    """The tools of `tool_servers`, for one person in one room while a message of theirs is answered.

    `page` is the socket that the message came over, if it came over one: the page that can run them.
    """

    def __init__(
        self,
        context: HttpContext,
        session_id: str,
        person: Person,
        tool_servers: Sequence[object],
        page: Listener | None = None,
    ) -> None:
        self._context = context
        self._session_id = session_id
        self._person = person
        self._tool_servers = tool_servers
        self._page = page

    @contextmanager
    def made(self) -> Iterator[None]:
        """Offer them for as long as the context lasts; nothing where there are none."""
        if not self._tool_servers:
            yield
            return
        viewer = ToolsFor(person=self._person, chat=self._context.room.address(self._session_id))
        direct = self._context.app.tools.direct
        with direct.offer(viewer, self._tool_servers, session_id=self._session_id, event_call=self._ask):
            yield

    async def _ask(self, event: Mapping[str, object]) -> object:
        """Send `execute:tool` to the pages of the person; what the first of them answers is the result."""
        room = self._context.room.room(self._session_id)
        data = event["data"]
        asked = data if isinstance(data, Mapping) else {}
        async with asyncio.timeout(_ANSWERED_WITHIN):
            answer = await self._context.room.client_calls.ask(room, self._person.id, asked, page=self._page)
        error = answer.get("error")
        return {"error": error} if error else answer.get("result")


class Asked(Struct, frozen=True, kw_only=True):
    """Who calls, in which room, in which language, and with which words. The same `key` is the same call."""

    viewer: Viewer
    session_id: str
    language: str
    said: str = ""
    key: str = ""

    @classmethod
    def of(cls, request: HTTPConnection, viewer: Viewer, session_id: str, *, said: str = "") -> "Asked":
        """Return what a request asks; its header `Idempotency-Key` names the call."""
        key = request.headers.get("idempotency-key", "")[:200]
        return cls(viewer=viewer, session_id=session_id, language=language_asked(request), said=said, key=key)


async def turn_of(context: HttpContext, asked: Asked) -> Turn:
    """Make a turn of the room, as if the person had written the words there.

    Raises:
        HttpRefused: the room is not one of theirs (403).
    """
    await enter_room(context, asked.viewer, asked.session_id)
    key = asked.key or uuid.uuid4().hex
    message = ChatMessage(
        id=f"http-{key}",
        address=context.room.address(asked.session_id),
        sender=asked.viewer.person,
        text=asked.said,
        sent_at=context.clock.now(),
        is_addressed=True,
    )
    turn = await context.app.turns.turn(message)
    return turn if asked.said else replace(turn, language=asked.language)


def tool_viewer(context: HttpContext, viewer: Viewer, session_id: str) -> ToolViewer:
    """Return the viewer for whom the tools of a room are listed."""
    return ToolViewer(person=viewer.person, chat=context.room.address(session_id), is_operator=viewer.is_operator)


async def call_tool(
    context: HttpContext,
    turn: Turn,
    name: str,
    arguments: Mapping[str, object],
    *,
    is_confirmed: bool = True,
    is_operator: bool = False,
) -> ToolResult:
    """Run one tool for whoever asks; `is_confirmed` says that their program has asked them already.

    With `is_operator` the access rules of tools do not apply.

    Raises:
        HttpRefused: the disk is full and nothing can be kept (503).
    """
    call = ToolCall(id=f"{ENTRY_POINT}-{turn.message.id}", name=name, arguments=arguments)
    conversation = Conversation(chat=turn.message.address, person=turn.message.sender)
    session = await Session.open(SqlScopeStore(context.app.database), conversation)
    circumstances = replace(
        context.app.turns.context(turn, 0),
        call_id=f"{ENTRY_POINT}/{turn.message.address.key}/{turn.message.sender.id}/{turn.message.id}",
        state=CallState(session),
        entry_point=ENTRY_POINT,
        approved=call if is_confirmed else None,
        is_operator=is_operator,
    )
    result = await context.app.calls.dispatch(call, circumstances)
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

    What is wrong is told in the language of `turn`. With `is_for_model` they are those of a model: mended where that is
    safe, and else told about as a model is, in English and with the values that came.

    Raises:
        HttpRefused: there is no such tool for this person (404), or the arguments do not fit (422, by field).
    """
    viewer = replace(ToolViewer.of(turn.message), is_operator=is_operator)
    specs = await context.app.calls.list_specs(viewer)
    spec = next((each for each in specs if each.name == name), None)
    if spec is None:
        raise HttpRefused(404, "tool_unknown", tool=name)
    tool = context.app.registry.get(name)
    validator = SchemaValidator(spec.parameters) if tool is None else tool.validator
    if is_for_model:
        arguments = repair_arguments(validator, arguments)
    problems = validator.validate(arguments)
    if problems and is_for_model:
        told = ArgumentsInvalid(name, problems).for_model()
        raise HttpRefused(422, "arguments_invalid", problems=_by_field(problems), told=told)
    if problems:
        by_field = argument_problems(turn.language, problems)
        raise HttpRefused(422, "arguments_invalid", problems=by_field, told=in_one_line(turn.language, by_field))
    return arguments


def succeeded(result: ToolResult) -> ToolResult:
    """Return `result`, if the call did what it should.

    Raises:
        HttpRefused: it did not; the text is the tool's own.
    """
    if result.ok:
        return result
    if result.failure == "denied":
        raise HttpRefused(403, "call_denied", why=result.text or result.error)
    if result.is_question:
        raise HttpRefused(409, "call_question", why=result.text)
    raise HttpRefused(REFUSED_STATUS.get(result.cause, 422), "call_failed", why=result.text or result.error)


def _by_field(problems: list[ArgumentError]) -> dict[str, str]:
    """Group the problems by argument; a missing argument is listed under its own name."""
    fields: dict[str, str] = {}
    for problem in problems:
        fields.setdefault(argument_of(problem), problem.message)
    return fields
