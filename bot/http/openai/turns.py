"""Convert an OpenAI client's conversation to a turn of the bot, and the result to a completion.

Source: https://platform.openai.com/docs/api-reference/chat/create
"""

import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace
from pydantic import JsonValue

from bot.http.core.context import HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.openai.bodies import ChatTurn, CompletionBody, OfferedTool
from bot.http.security.auth import ApiViewer
from function_calls.tools.calls import Step, ToolCall, ToolResult, ToolSpec, Turn
from function_calls.tools.errors import SchemaInvalid
from function_calls.tools.toolset import short_name
from function_calls.toolsets.openapi.bundle import safe_schema
from function_calls.toolsets.openapi.document import DocumentInvalid
from services.call_log.model import ToolCallShape
from services.kernel.chat import ChatMessage, Person
from services.kernel.state import Json
from services.people.zones import is_zone

_BOT: Final = Person(id="bubbles", name="bubbles", is_bot=True)
_MAX_MESSAGES_FOR_RULES: Final = 20
_DIALOGUE_ROLES: Final = frozenset({"user", "assistant"})
_SYSTEM: Final = frozenset({"system", "developer"})
_NOT_IN_ROOM_NAME: Final = re.compile(r"[^\w-]+")


class ToolChoice(Struct, frozen=True, kw_only=True):
    """The tool choice of a client; `name` is the tool of a named choice."""

    mode: Literal["none", "auto", "required"] = "auto"
    name: str = ""

    @property
    def for_model(self) -> str | dict[str, object] | None:
        """Return the choice in the form of the model API; None for `auto`."""
        if self.name:
            return {"type": "function", "function": {"name": self.name}}
        return None if self.mode == "auto" else self.mode

    def select_tools(self, client: Sequence[ToolSpec], own: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
        """Return the tools to offer: those of the client and the bot, none, or those of the client to choose from.

        The client sees only calls of its own tools, so a required call cannot be of the bot's.
        """
        if self.mode == "none":
            return ()
        if self.mode == "required":
            return tuple(spec for spec in client if self.name in ("", spec.name))
        names = {spec.name for spec in client}
        return (*client, *(spec for spec in own if spec.name not in names))


def read_tool_choice(value: JsonValue, client: Sequence[ToolSpec]) -> ToolChoice:
    """Read the `tool_choice` of a request with the tools `client`.

    Raises:
        HttpRefused: it is invalid, or names a tool that the request does not have (422).
    """
    match value:
        case None | "auto":
            return ToolChoice()
        case "none":
            return ToolChoice(mode="none")
        case "required" if client:
            return ToolChoice(mode="required")
        case "required":
            raise _invalid("required needs tools")
        case {"type": "function", "function": {"name": str(name)}}:
            if name not in {spec.name for spec in client}:
                raise _invalid(f"tools has no function {name[:64]}")
            return ToolChoice(mode="required", name=name)
    raise _invalid('it is none, auto, required or {"type": "function", "function": {"name": …}}')


def _invalid(why: str) -> HttpRefused:
    return HttpRefused(422, "tool_choice_invalid", problems={"tool_choice": why}, why=why)


def room_of(body: CompletionBody, viewer: ApiViewer) -> str:
    """Return the room of a conversation: the named one, else that of the client."""
    if body.session_id:
        return body.session_id
    # A long name is shortened with a digest, so that different users have different rooms.
    return short_name(f"api-{_NOT_IN_ROOM_NAME.sub('-', body.user or viewer.person.id)}".rstrip("-"))


async def read_turn(context: HttpContext, body: CompletionBody, viewer: ApiViewer) -> Turn:
    """Create the turn of the last message of the user, with the client's calls since then.

    Models get the whole conversation, the rules its last messages.

    Raises:
        HttpRefused: there is no message of the user, or a tool or `tool_choice` is invalid (422); a message has a part
            that is not text (400).
    """
    _refuse_other_parts(body.messages)
    place = next((at for at in range(len(body.messages) - 1, -1, -1) if body.messages[at].role == "user"), None)
    if place is None or not body.messages[place].text.strip():
        raise HttpRefused(422, "message_blank", problems={"messages": "no message of the user"})
    address = context.room.address(room_of(body, viewer))
    now = context.clock.now()

    def message(source: ChatTurn, message_id: str) -> ChatMessage:
        sender = _BOT if source.role == "assistant" else viewer.person
        return ChatMessage(
            id=message_id, address=address, sender=sender, text=source.text, sent_at=now, is_addressed=True
        )

    turn = await context.app.turns.turn(message(body.messages[place], f"v1-{uuid.uuid4().hex}"))
    before = [each for each in body.messages[:place] if each.role in _DIALOGUE_ROLES and each.text.strip()][
        -_MAX_MESSAGES_FOR_RULES:
    ]
    turn = await _with_variables(context, turn, body)
    client = client_specs(body.tools or ())
    choice = read_tool_choice(body.tool_choice, client)
    return replace(
        turn,
        tools=choice.select_tools(client, turn.tools),
        tool_choice=choice.for_model,
        recent=tuple(message(each, f"v1-before-{at}") for at, each in enumerate(before)),
        client_messages=_messages_before(body.messages, place),
        steps=_steps(body.messages[place + 1 :], context.client_rounds),
        call_style=(body.params.call_style if body.params else None) or turn.call_style,
    )


async def _with_variables(context: HttpContext, turn: Turn, body: CompletionBody) -> Turn:
    """Return the turn with the name and place that the client sends, and its zone if the person has set none."""
    zone = body.variable("CURRENT_TIMEZONE")
    if is_zone(zone) and not await context.app.turns.zones.own(turn.message.address, turn.message.sender):
        turn = replace(turn, zone=ZoneInfo(zone), now=turn.now.astimezone(ZoneInfo(zone)))
    names = ("USER_NAME", "USER_LOCATION")
    return replace(turn, variables={name: value for name in names if (value := body.variable(name))})


def _refuse_other_parts(messages: Sequence[ChatTurn]) -> None:
    """Refuse pictures, sounds and files, which are not passed on to models."""
    for at, message in enumerate(messages):
        if message.role == "assistant" or not isinstance(message.content, list):
            continue
        for place, part in enumerate(message.content):
            if part.type != "text":
                field, kind = f"messages.{at}.content.{place}", part.type[:64]
                raise HttpRefused(400, "content_unsupported", problems={field: "text only"}, kind=kind)


def _messages_before(messages: Sequence[ChatTurn], place: int) -> tuple[dict[str, object], ...]:
    """Return the conversation before the message at `place`, in the order sent; later system messages come last."""
    later = (each for each in messages[place + 1 :] if each.role in _SYSTEM)
    return tuple(_to_model_message(each) for each in (*messages[:place], *later))


def _to_model_message(message: ChatTurn) -> dict[str, object]:
    """Return a message with the fields for models; `developer` is a newer name of `system`."""
    fields = message.model_dump(include={"name", "tool_call_id", "tool_calls", "function_call"}, exclude_none=True)
    if not message.tool_calls:
        fields.pop("tool_calls", None)
    content = message.text or (None if message.tool_calls else "")
    return {"role": "system" if message.role in _SYSTEM else message.role, "content": content, **fields}


def client_specs(tools: Sequence[OfferedTool]) -> tuple[ToolSpec, ...]:
    """Return the client's tools as specs.

    Raises:
        HttpRefused: the parameters of a tool are not a JSON Schema (422).
    """
    specs = []
    for each in tools:
        try:
            parameters = safe_schema(each.function.parameters)
        except (SchemaInvalid, DocumentInvalid) as error:
            problems = {f"tools.{each.function.name}": str(error)}
            raise HttpRefused(422, "invalid", problems=problems, problems_told=str(error)) from error
        name = each.function.name
        specs.append(ToolSpec(name=name, description=each.function.description or name, parameters=parameters))
    return tuple(specs)


def assign_ids(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return the calls with unique ids."""
    return tuple(replace(call, id=f"call_{uuid.uuid4().hex[:24]}") for call in calls)


def to_tool_calls(calls: Sequence[ToolCall]) -> list[Json]:
    """Return calls in OpenAI's form."""
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments), ensure_ascii=False)},
        }
        for call in calls
    ]


def sources_of(calls: Iterable[ToolCallShape]) -> list[Json]:
    """Return the results of the bot's own calls in the form of Open WebUI's `sources`."""
    return [
        {
            "source": {"name": f"TOOL:{call['name']}"},
            "document": [call["result"] or ""],
            "metadata": [{"source": f"TOOL:{call['name']}", "parameters": call["arguments"]}],
            "tool_result": True,
        }
        for call in calls
        if call["status"] == "success"
    ]


def _steps(messages: Sequence[ChatTurn], rounds: Mapping[str, tuple[Step, ...]]) -> tuple[Step, ...]:
    """Return the rounds of the turn, with the client's calls and their results; `rounds` are those before a call."""
    results = {each.tool_call_id: each.text for each in messages if each.role == "tool" and each.tool_call_id}
    steps: tuple[Step, ...] = ()
    for each in messages:
        if each.role == "assistant" and not each.tool_calls and each.text.strip():
            steps = (*steps, Step(text=each.text, calls=(), results=()))
        if each.role != "assistant" or not each.tool_calls:
            continue
        steps = rounds.get(each.tool_calls[0].id) or steps
        calls = tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=_arguments(call.function.arguments))
            for call in each.tool_calls
        )
        step = Step(text=each.text, calls=calls, results=tuple(_result(results.get(call.id)) for call in calls))
        steps = (*steps, step)
    return steps


def _arguments(text: str) -> dict[str, object]:
    try:
        read = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _result(text: str | None) -> ToolResult:
    """Return the result of a call from the client; it is untrusted."""
    if text is None:
        return ToolResult.failed("the client sent no result")
    return ToolResult(ok=True, text=text, value=text, is_untrusted=True)
