"""Record what a real model was asked and answered into a JSON file without secrets, and play it back in tests.

model = RecordingModel(OpenAIModel(…), secrets=[api_key])
…
model.save(Path("tests/traffic/reminders.json"))

replayed = ReplayedModel.load(Path("tests/traffic/reminders.json"))
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, to_builtins

from services.language_model.ports import Completion, CompletionRequest, LanguageModel, RequestedCall, Usage

_SECRET = re.compile(
    r"\b(?:sk|pk|pplx|tvly|gsk|xai|ghp|xox[bpa])[-_][A-Za-z0-9_-]{8,}"  # keys as their makers write them
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"  # JSON Web Tokens
)
_HIDDEN = "[secret]"
_MIN_SECRET_LENGTH = 4


class NotRecorded(AssertionError):
    """A replayed model was asked something that the recording does not have."""


class Exchange(Struct, frozen=True, kw_only=True):
    """One request, as JSON, and its answer."""

    request: Mapping[str, object]
    completion: Completion


class RecordingModel:
    """A `LanguageModel` that passes requests on and remembers them with their answers; failures are not kept.

    `secrets` are texts that must not be written down; what looks like a key is left out anyway.
    """

    def __init__(self, model: LanguageModel, *, secrets: Iterable[str] = ()) -> None:
        self._model = model
        self._secrets = tuple(secret for secret in secrets if len(secret) >= _MIN_SECRET_LENGTH)
        self.exchanges: list[Exchange] = []

    @property
    def name(self) -> str:
        """Return the name of the recorded model."""
        return self._model.name

    async def complete(self, request: CompletionRequest) -> Completion:
        """Ask the model.

        Raises:
            ModelUnavailable: as the model does.
        """
        completion = await self._model.complete(request)
        self.exchanges.append(Exchange(request=_as_json(request), completion=completion))
        return completion

    def save(self, path: Path) -> None:
        """Write everything recorded so far to `path`, without secrets."""
        exchanges = [{"request": each.request, "completion": to_builtins(each.completion)} for each in self.exchanges]
        table = without_secrets({"model": self.name, "exchanges": exchanges}, self._secrets)
        path.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


class ReplayedModel:
    """A `LanguageModel` that answers as it was recorded; the same request again gets the next answer, then the last.

    `asked` are the requests in order. A request with a listener hears its text in one piece. `secrets` are those that
    were taken out of the recording, where requests still hold them.
    """

    def __init__(self, exchanges: Iterable[Exchange], *, name: str = "replayed", secrets: Iterable[str] = ()) -> None:
        self._name = name
        self._secrets = tuple(secrets)
        self._answers: dict[str, list[Completion]] = {}
        self.asked: list[CompletionRequest] = []
        for each in exchanges:
            self._answers.setdefault(self._key(each.request), []).append(each.completion)

    @classmethod
    def load(cls, path: Path, *, secrets: Iterable[str] = ()) -> "ReplayedModel":
        """Load the model recorded in `path`.

        Raises:
            KeyError, ValueError: the file is no recording.
        """
        table = json.loads(path.read_text(encoding="utf-8"))
        exchanges = [
            Exchange(request=each["request"], completion=_completion(each["completion"])) for each in table["exchanges"]
        ]
        return cls(exchanges, name=str(table["model"]), secrets=secrets)

    @property
    def name(self) -> str:
        """Return the name of the recorded model."""
        return self._name

    def knows(self, request: CompletionRequest) -> bool:
        """Return whether `request` was recorded."""
        return self._key(_as_json(request)) in self._answers

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer as the model did then.

        Raises:
            NotRecorded: it was never asked this.
        """
        self.asked.append(request)
        answers = self._answers.get(self._key(_as_json(request)))
        if not answers:
            last = json.dumps(request.messages[-1] if request.messages else {}, ensure_ascii=False, default=str)
            raise NotRecorded(f"the recording of {self._name!r} has no such request; its last message: {last[:300]}")
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if request.on_text is not None and answer.text:
            await request.on_text(answer.text)
        return answer

    def _key(self, request: Mapping[str, object]) -> str:
        """Return a key that is the same for equal requests, with and without secrets."""
        return json.dumps(without_secrets(request, self._secrets), ensure_ascii=False, sort_keys=True)


def without_secrets(value: object, secrets: Sequence[str] = ()) -> object:
    """Replace `secrets`, keys and tokens in the texts of `value` (JSON) by `[secret]`."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, _HIDDEN)
        return _SECRET.sub(_HIDDEN, value)
    if isinstance(value, Mapping):
        return {key: without_secrets(inner, secrets) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(inner, secrets) for inner in value]
    return value


def _as_json(request: CompletionRequest) -> Mapping[str, object]:
    """Return what of a request goes over the wire."""
    return {
        "messages": [dict(message) for message in request.messages],
        "tools": None if request.tools is None else json.loads(request.tools),
        "tool_choice": request.tool_choice,
        "response_format": request.response_format,
        "max_tokens": request.max_tokens,
    }


def _completion(table: Mapping[str, object]) -> Completion:
    calls, usage = table["calls"], table["usage"]
    if not isinstance(calls, list) or not isinstance(usage, Mapping):
        raise ValueError("a completion has a list of calls and its usage")
    return Completion(
        text=str(table["text"]),
        calls=tuple(RequestedCall(**each) for each in calls),
        finish_reason=str(table["finish_reason"]),
        model=str(table["model"]),
        usage=Usage(**usage),
    )
