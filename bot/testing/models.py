"""A language model and an interpreter with scripted answers, for tests without a server."""

import json
from collections.abc import Iterable

from function_calls.tools.calls import Interpretation, ToolCall, Turn
from services.language_model.ports import Completion, CompletionRequest, RequestedCall, Usage

Played = Completion | Exception
Understood = Interpretation | Iterable[ToolCall] | str | Exception


class ScriptExhausted(AssertionError):
    """A scripted fake was asked more often than its script has answers."""


class ScriptedModel:
    """A `LanguageModel` that answers with `script` in order; a string is an answer without calls, an error is raised.

    `shown` has the requests in order. A streamed text comes in one piece.
    """

    def __init__(self, script: Iterable[Played | str] = (), *, name: str = "scripted") -> None:
        self._script = [completion(entry) if isinstance(entry, str) else entry for entry in script]
        self.name = name
        self.shown: list[CompletionRequest] = []

    @property
    def remaining(self) -> int:
        """Return the number of answers left."""
        return len(self._script)

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return the next answer.

        Raises:
            ScriptExhausted: the script has no more answers.
        """
        self.shown.append(request)
        if not self._script:
            raise ScriptExhausted(f"model {self.name!r} was asked {len(self.shown)} times; last: {_last(request)}")
        played = self._script.pop(0)
        if isinstance(played, Exception):
            raise played
        if request.on_text is not None and played.text:
            await request.on_text(played.text)
        return played


class ScriptedInterpreter:
    """An `Interpreter` that returns for each turn the next entry of `script`: calls, text, or an error.

    `turns` has the turns in order. After the script it returns no calls, or fails if `is_strict`.
    """

    def __init__(self, script: Iterable[Understood] = (), *, is_strict: bool = True) -> None:
        self._script = list(script)
        self._is_strict = is_strict
        self.turns: list[Turn] = []

    async def interpret(self, turn: Turn) -> Interpretation:
        """Return the next entry.

        Raises:
            ScriptExhausted: the script has no more entries and is strict.
        """
        self.turns.append(turn)
        if not self._script:
            if self._is_strict:
                raise ScriptExhausted(f"asked {len(self.turns)} times; last: {turn.message.text!r}")
            return Interpretation()
        understood = self._script.pop(0)
        if isinstance(understood, Exception):
            raise understood
        if isinstance(understood, Interpretation):
            return understood
        return (
            Interpretation(answer=understood)
            if isinstance(understood, str)
            else Interpretation(calls=tuple(understood))
        )


def completion(text: str = "", *calls: RequestedCall, finish_reason: str = "", model: str = "scripted") -> Completion:
    """Return a model's answer with a text, calls, or both."""
    return Completion(
        text=text,
        calls=calls,
        finish_reason=finish_reason or ("tool_calls" if calls else "stop"),
        model=model,
        usage=Usage(prompt_tokens=10, completion_tokens=5),
    )


def requested(name: str, arguments: str | None = None, *, id: str = "call_1", **fields: object) -> RequestedCall:  # noqa: A002 - the API's word
    """Return a call as a model writes it, with `fields` as JSON, or `arguments` unchanged."""
    text = json.dumps(fields, ensure_ascii=False) if arguments is None else arguments
    return RequestedCall(id=id, name=name, arguments=text)


def _last(request: CompletionRequest) -> str:
    return json.dumps(request.messages[-1] if request.messages else {}, ensure_ascii=False, default=str)[:300]
