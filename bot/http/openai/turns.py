"""Convert an OpenAI client's conversation to a turn of the bot, and the result to a completion.

Source: https://platform.openai.com/docs/api-reference/chat/create
"""

import json
import re
import uuid
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace
from pydantic import JsonValue

from bot.http.core.context import HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.openai.bodies import ChatTurn, CompletionBody, OfferedTool
from bot.http.security.auth import Viewer
from function_calls.tools.calls import Step, ToolCall, ToolResult, ToolSpec, Turn
from function_calls.tools.errors import SchemaInvalid
from function_calls.toolsets.openapi.bundling import safe_schema
from function_calls.toolsets.openapi.document import DocumentInvalid
from services.call_log.model import ToolCallShape
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatMessage, Person
from services.kernel.state import Json

_BOT: Final = Person(id="bubbles", name="bubbles", is_bot=True)
_MOST_REMEMBERED: Final = 500
_MOST_READ_BY_RULES: Final = 20
_SPOKEN: Final = frozenset({"user", "assistant"})
_SYSTEM: Final = frozenset({"system", "developer"})
_ODD: Final = re.compile(r"[^\w-]+")
_MODES: Final = ("none", "auto", "required")


class ToolChoice(Struct, frozen=True, kw_only=True):
    """The choice of a client; `name` is the one tool that a named choice demands."""

    mode: Literal["none", "auto", "required"] = "auto"
    name: str = ""

    @property
    def for_model(self) -> str | dict[str, object] | None:
        """Return the choice in the form of the model API; None for `auto`."""
        if self.name:
            return {"type": "function", "function": {"name": self.name}}
        return None if self.mode == "auto" else self.mode

    def offered(self, client: Sequence[ToolSpec], own: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
        """Return the tools to offer: the client's before those of the bot, none, or the client's that must be called.

        A demanded call is one that the client can read in the answer, so the bot's own tools cannot be it.
        """
        if self.mode == "none":
            return ()
        if self.mode == "required":
            return tuple(spec for spec in client if self.name in ("", spec.name))
        names = {spec.name for spec in client}
        return (*client, *(spec for spec in own if spec.name not in names))


def tool_choice_of(written: JsonValue, client: Sequence[ToolSpec]) -> ToolChoice:
    """Read `tool_choice` for a request that brings the tools `client`.

    Raises:
        HttpRefused: it has another form, or demands a tool that the request does not bring (422).
    """
    if written is None:
        return ToolChoice()
    if written in ("none", "auto"):
        return ToolChoice(mode="none" if written == "none" else "auto")
    if written == "required":
        if not client:
            raise _invalid("required needs tools")
        return ToolChoice(mode="required")
    function = written.get("function") if isinstance(written, dict) and written.get("type") == "function" else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(name, str):
        raise _invalid(f'it is {", ".join(_MODES)} or {{"type": "function", "function": {{"name": …}}}}')
    if name not in {spec.name for spec in client}:
        raise _invalid(f"tools has no function {name[:64]}")
    return ToolChoice(mode="required", name=name)


def _invalid(why: str) -> HttpRefused:
    return HttpRefused(422, "tool_choice_invalid", problems={"tool_choice": why}, why=why)


class EarlierRounds:
    """What the bot did itself before it handed calls to a client: the client does not know, and the bot must."""

    def __init__(self) -> None:
        self._steps: BoundedDict[str, tuple[Step, ...]] = BoundedDict(_MOST_REMEMBERED)

    def keep(self, calls: Sequence[ToolCall], steps: tuple[Step, ...]) -> None:
        """Remember the rounds before `calls`."""
        for call in calls:
            self._steps[call.id] = steps

    def before(self, call_id: str) -> tuple[Step, ...] | None:
        """Return the rounds before a call that was handed out."""
        return self._steps.get(call_id)


def room_of(body: CompletionBody, viewer: Viewer) -> str:
    """Return the room that a conversation is recorded in: the one it names, else one of the client's own."""
    if body.session_id:
        return body.session_id
    return f"api-{_ODD.sub('-', body.user or viewer.person.id)}"[:64].rstrip("-")


async def read_turn(context: HttpContext, body: CompletionBody, viewer: Viewer, earlier: EarlierRounds) -> Turn:
    """Return the turn that the last message of the user begins, with the calls that the client has made since.

    Models read the conversation as it was sent; the rules read its last messages.

    Raises:
        HttpRefused: there is no message of the user, or a tool or `tool_choice` cannot be followed (422); a message
            has a picture or another part that is not text (400).
    """
    _refuse_other_parts(body.messages)
    place = next((at for at in range(len(body.messages) - 1, -1, -1) if body.messages[at].role == "user"), None)
    if place is None or not body.messages[place].text.strip():
        raise HttpRefused(422, "message_blank", problems={"messages": "no message of the user"})
    address = context.room.address(room_of(body, viewer))
    now = context.clock.now()

    def message(said: ChatTurn, message_id: str) -> ChatMessage:
        sender = _BOT if said.role == "assistant" else viewer.person
        return ChatMessage(
            id=message_id, address=address, sender=sender, text=said.text, sent_at=now, is_addressed=True
        )

    turn = await context.app.turns.turn(message(body.messages[place], f"v1-{uuid.uuid4().hex}"))
    before = [each for each in body.messages[:place] if each.role in _SPOKEN and each.text.strip()][
        -_MOST_READ_BY_RULES:
    ]
    client = client_specs(body.tools or ())
    choice = tool_choice_of(body.tool_choice, client)
    return replace(
        turn,
        tools=choice.offered(client, turn.tools),
        tool_choice=choice.for_model,
        recent=tuple(message(each, f"v1-before-{at}") for at, each in enumerate(before)),
        client_messages=_messages_before(body.messages, place),
        steps=_steps(body.messages[place + 1 :], earlier),
        call_style=(body.params.call_style if body.params else None) or turn.call_style,
    )


def _refuse_other_parts(messages: Sequence[ChatTurn]) -> None:
    """Refuse pictures, sounds and files, which no model behind the bot is given."""
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
    """Return a message as it came, with the fields that models read; `developer` is a newer name of `system`."""
    told: dict[str, object] = {"role": "system" if message.role in _SYSTEM else message.role, "content": message.text}
    if message.name is not None:
        told["name"] = message.name
    if message.tool_call_id is not None:
        told["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        told["content"] = message.text or None
        told["tool_calls"] = [call.model_dump() for call in message.tool_calls]
    if message.function_call is not None:
        told["function_call"] = message.function_call.model_dump()
    return told


def client_specs(tools: Sequence[OfferedTool]) -> tuple[ToolSpec, ...]:
    """Return the client's tools as specs.

    Raises:
        HttpRefused: the parameters of one are no JSON Schema.
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
    """Return the same calls under ids that no other conversation has."""
    return tuple(replace(call, id=f"call_{uuid.uuid4().hex[:24]}") for call in calls)


def to_tool_calls(calls: Sequence[ToolCall]) -> list[Json]:
    """Return calls as the client is sent them."""
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


def _steps(said: Sequence[ChatTurn], earlier: EarlierRounds) -> tuple[Step, ...]:
    """Return the rounds of the turn: what the client was told to call, and what came of it."""
    results = {each.tool_call_id: each.text for each in said if each.role == "tool" and each.tool_call_id}
    steps: tuple[Step, ...] = ()
    for each in said:
        if each.role == "assistant" and not each.tool_calls and each.text.strip():
            steps = (*steps, Step(text=each.text, calls=(), results=()))
        if each.role != "assistant" or not each.tool_calls:
            continue
        steps = earlier.before(each.tool_calls[0].id) or steps
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
    """Return what the client says came of a call: text of others, whoever wrote it."""
    if text is None:
        return ToolResult.failed("the client brought no result")
    return ToolResult(ok=True, text=text, value=text, is_untrusted=True)
