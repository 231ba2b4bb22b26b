"""Interpret sentences that repeat a person's last call with other arguments, such as "and tomorrow?"."""

from datetime import datetime, timedelta
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, Interpreter, ToolCall, ToolSpec, Turn
from function_calls.understanding.examples import ExampleSentences
from function_calls.understanding.reading.names import strip_names
from function_calls.understanding.tool_calls import CallMaker
from services.kernel.state import StateStore

_LASTS: Final = timedelta(minutes=10)
_MAX_TEXT_LENGTH: Final = 300  # characters


class _LastCall(Struct, frozen=True, kw_only=True):
    call: ToolCall
    message_id: str
    at: datetime


class FollowUpInterpreter:
    """Matches the `conversation_examples` of the tool last called before it asks `inner`.

    Arguments that such a sentence does not name keep their values. In a group the sentence must come from the same
    person before anybody else writes, or be addressed to the bot. The last call is stored in `store`.
    """

    def __init__(self, inner: Interpreter, store: StateStore) -> None:
        self._inner = inner
        self._store = store
        self._examples = ExampleSentences()

    async def interpret(self, turn: Turn) -> Interpretation:
        """Return the last call with new arguments, or the result of `inner`."""
        going_on = frozenset(tool.name for tool in turn.tools if tool.conversation_examples)
        if turn.steps or not going_on:
            return await self._inner.interpret(turn)
        key = f"last_call:{turn.conversation.key}"
        last = _parse_last_call(await self._store.get(key))
        interpretation = self._next_call(turn, last) or await self._inner.interpret(turn)
        if interpretation.calls and interpretation.calls[-1].name in going_on:
            now = _LastCall(call=interpretation.calls[-1], message_id=turn.message.id, at=turn.now)
            await self._store.set(key, msgspec.to_builtins(now, enc_hook=_as_text), keep=_LASTS)
        elif interpretation.calls and last is not None:
            await self._store.set(key, None, keep=_LASTS)
        return interpretation

    def _next_call(self, turn: Turn, last: _LastCall | None) -> Interpretation | None:
        if last is None or turn.now - last.at > _LASTS or not turn.scope.covers(last.message_id):
            return None
        tool = next((spec for spec in turn.tools if spec.name == last.call.name), None)
        text = strip_names(turn.message.text, (turn.bot_name,)).strip()
        if tool is None or len(text) > _MAX_TEXT_LENGTH:
            return None
        is_addressed = turn.message.is_for_bot
        found = self._examples.match_template(text, (_with_examples(tool),), is_addressed=is_addressed)
        if found is None:
            return None
        _, named = found
        return Interpretation(calls=(CallMaker(turn).call(tool.name, {**last.call.arguments, **named}),))


def _as_text(value: datetime) -> str:
    """Return an instant as text; msgspec calls this for subclasses of `datetime` only."""
    return value.isoformat()


def _parse_last_call(stored: object) -> _LastCall | None:
    """Return the stored call; None without any, or if another version stored other fields."""
    try:
        return None if stored is None else msgspec.convert(stored, _LastCall)
    except msgspec.ValidationError:
        return None


def _with_examples(tool: ToolSpec) -> ToolSpec:
    """Return the tool with its `conversation_examples` as examples and without required arguments."""
    parameters = {**tool.parameters, "required": []}
    return replace(tool, examples=tool.conversation_examples, parameters=parameters)
