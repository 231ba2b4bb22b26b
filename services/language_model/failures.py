"""Classify the failures that the server of a model reports as faults of the endpoint or of the request.

OpenAI writes `{"error": {"message", "code"}}`; others write a text there, wrap it in a list (Gemini), use `detail`
(FastAPI), `message` (vLLM, Mistral) or `base_resp` (MiniMax), or write the cause in `metadata.raw` (OpenRouter).
"""

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from services.kernel.errors import ModelUnavailable

_MAX_DETAIL_LENGTH = 300
_MIN_PREFIX_LENGTH = 5  # characters of a secret that are removed
_PASSING = frozenset({408, 409, 429})
_ABOUT_THE_REQUEST = frozenset({400, 413, 415, 422})
# The model wrote calls that its server could not parse; a retry may succeed.
_WRONG_CALLS = (
    r"tool_use_failed|failed to call a function|tool call validation failed|attempted to call tool"
    r"|pars(?:e|ing) (?:the )?tool.?call|failed to parse (?:input|tool|function)"
)
_TOO_LONG = (
    r"context.{0,20}(?:length|size|window|limit)|context the overflows|maximum.{0,30}tokens|token limit"
    r"|(?:prompt|input|request|conversation)\b.{0,40}too (?:long|large)|too many (?:input |prompt )?tokens"
    r"|input length should be|reduce (?:the length|your)|string_above_max_length|上下文.{0,10}(?:超|过长)"
    r"|(?:超出|超过).{0,12}(?:长度|上下文|token)|输入.{0,6}过长"
)
_NO_TOOLS = (
    r"(?:not|no|n't|never|without)\b.{0,60}(?:support|enable|allow|accept).{0,40}(?:tool|function)"
    r"|(?:tool|function).{0,60}(?:not|n't|un)\s?(?:be )?(?:yet )?(?:support|available|allow|enable|implement)"
    r"|(?:tool|function).{0,40}requires? (?:--|the )|不支持.{0,12}(?:工具|函数|tool|function)|roles? must alternate"
    r"|only user and assistant roles"
)
_NO_FORMAT = r"response_?format|json_?schema|json_object|grammar|guided|structured output"

Matter = Literal["length", "tools", "format", "other"]


class EndpointFailed(ModelUnavailable):
    """The endpoint gave no usable answer.

    `retry_after` is the wait in seconds that the server asked for, or None. `is_passing`: the same request may succeed
    a moment later.
    """

    def __init__(
        self, reason: str, detail: str = "", *, retry_after: float | None = None, is_passing: bool = True
    ) -> None:
        super().__init__(reason, detail)
        self.retry_after = retry_after
        self.is_passing = is_passing


class RequestRejected(ModelUnavailable):
    """The endpoint works and refuses this request: it is too long, or uses an unsupported feature.

    `message` is the whole text of the server.
    """

    def __init__(self, detail: str, *, message: str = "") -> None:
        super().__init__("refused", detail)
        self.message = message or detail

    @property
    def matter(self) -> Matter:
        """Return the part of the request that the server refused, according to its message."""
        if _mentions(self.message, _TOO_LONG):
            return "length"
        if _mentions(self.message, _NO_TOOLS):
            return "tools"
        return "format" if _mentions(self.message, _NO_FORMAT) else "other"


class CallsRejected(EndpointFailed):
    """The endpoint could not parse its model's calls; `generation` is the text of the model, if reported."""

    def __init__(self, detail: str, *, generation: str = "") -> None:
        super().__init__("malformed", detail)
        self.generation = generation


def detail_of(status: int, message: str) -> str:
    """Return the status, if it is one of a failure, and the beginning of the message, for people and logs."""
    shown = " ".join(message.split())[:_MAX_DETAIL_LENGTH]
    return f"HTTP {status} {shown}".strip() if status >= 400 else shown


def failure_of(
    status: int, message: str, *, retry_after: float | None = None, generation: str = ""
) -> ModelUnavailable:
    """Classify an error by its status and the text of the server; `status` is 200 for one inside an answer.

    Servers differ in the status for a request that they do not support, so the text counts too.
    """
    detail = detail_of(status, message)
    if _mentions(message, _WRONG_CALLS):
        return CallsRejected(detail, generation=generation)
    is_explained = status not in (401, 403) and (_mentions(message, _NO_TOOLS) or _mentions(message, _TOO_LONG))
    if status in _ABOUT_THE_REQUEST or is_explained:
        return RequestRejected(detail, message=message)
    if status == 429:
        return EndpointFailed("rate_limited", detail, retry_after=retry_after)
    if status >= 500 or status in _PASSING:
        return EndpointFailed("server_error", detail, retry_after=retry_after)
    if status < 400:
        return EndpointFailed("malformed", detail)
    return EndpointFailed("refused", detail, is_passing=False)


def redact(failure: ModelUnavailable, secret: str) -> ModelUnavailable:
    """Remove `secret` from the texts of `failure`."""
    failure.args = tuple(clean(str(each), secret) for each in failure.args)
    for name, value in vars(failure).items():
        if isinstance(value, str):
            setattr(failure, name, clean(value, secret))
    return failure


def clean(text: str, secret: str) -> str:
    """Remove `secret` from `text`, also a beginning of it at the end of a truncated text."""
    if not secret:
        return text
    cut = next((size for size in range(len(secret) - 1, _MIN_PREFIX_LENGTH, -1) if text.endswith(secret[:size])), 0)
    return text[: len(text) - cut].replace(secret, "***") + "***" * bool(cut)


def _mentions(message: str, what: str) -> bool:
    return re.search(what, message, re.IGNORECASE) is not None  # compiled when the first server refuses something


_TEXTS = ("message", "msg", "detail", "error_msg", "status_msg", "error")


class ServerErrorDetail(Struct, frozen=True, kw_only=True):
    """An error of a server. `status` is the HTTP status inside the answer, 0 without one.

    `code` is the server's code of the failure, `generation` the text of the model that the server refused (Groq).
    """

    message: str
    code: str = ""
    status: int = 0
    generation: str = ""


def read_error(body: object) -> ServerErrorDetail | None:
    """Return the error in `body`; None without one."""
    if isinstance(body, list):
        return read_error(body[0]) if len(body) == 1 or (body and isinstance(body[0], dict)) else None
    if isinstance(body, str):
        return ServerErrorDetail(message=body) if body.strip() else None
    if not isinstance(body, Mapping):
        return None
    inner = body.get("error") or _base_resp(body) or body
    if not isinstance(inner, Mapping):
        return ServerErrorDetail(message=_text(inner), code=_word(body.get("code"))) if _text(inner) else None
    message = next((text for name in _TEXTS if (text := _text(inner.get(name)))), "")
    if not message and inner is body:
        return None
    return ServerErrorDetail(
        message="; ".join(filter(None, [message or "the server reports an error", _cause(inner)])),
        code=_word(inner.get("code")) or _word(inner.get("type")),
        status=_status(inner),
        generation=_text(inner.get("failed_generation")),
    )


def _base_resp(body: Mapping[str, object]) -> object:
    """Return MiniMax's status report, which is in successful answers too, with the code 0."""
    report = body.get("base_resp")
    return report if isinstance(report, Mapping) and report.get("status_code") else None


def _text(value: object) -> str:
    """Return a text, or the complaints of a list, each with its location."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, map(_complaint, value)))
    return ""


def _complaint(entry: object) -> str:
    if not isinstance(entry, Mapping):
        return entry if isinstance(entry, str) else ""
    place = entry.get("loc")
    where = ".".join(map(str, place)) if isinstance(place, list) else ""
    complaint = _text(entry.get("msg")) or _text(entry.get("message"))
    return f"{where}: {complaint}" if where else complaint


def _cause(inner: Mapping[str, object]) -> str:
    metadata = inner.get("metadata")
    return _text(metadata.get("raw")) if isinstance(metadata, Mapping) else ""


def _word(value: object) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _status(inner: Mapping[str, object]) -> int:
    for name in ("status_code", "code", "http_code"):
        word = _word(inner.get(name))
        if word.isdecimal() and 400 <= int(word) < 600:
            return int(word)
    return 0
