"""Convert a tool server's response to a tool result."""

import json
from contextlib import suppress
from typing import Final

from msgspec import Struct

from bot.tools.servers.echoed_secrets import EchoedSecretMask
from function_calls.language.messages import Message, say
from function_calls.tools.calls import ToolResult
from services.kernel.errors import ToolFailed
from services.kernel.text import decode_text, shorten

_MAX_MODEL_TEXT_LENGTH: Final = 16_000  # characters
_MAX_SHOWN_LENGTH: Final = 1_500
_MAX_ERROR_LENGTH: Final = 600
_TEXTS: Final = ("text/", "application/xml", "application/javascript", "application/x-www-form-urlencoded")


class ServerUnavailable(ToolFailed):
    """A tool server cannot be used: unreachable, of the wrong kind, or redirecting to another origin."""

    def __init__(self, problem: Message | str) -> None:
        super().__init__(str(problem))
        self.problem = problem


class ServerResponse(Struct, frozen=True, kw_only=True):
    """The response of a server; `is_truncated` if its content was longer than the limit."""

    status: int
    content_type: str
    content: bytes
    encoding: str = "utf-8"
    is_truncated: bool = False

    @property
    def text(self) -> str:
        """Return the content as text."""
        return decode_text(self.content, self.encoding)


def to_tool_result(name: str, response: ServerResponse, language: str, mask: EchoedSecretMask) -> ToolResult:
    """Return the result of a call, its secrets masked; a failure has the status and the beginning of the body."""
    if response.status >= 300:
        error = f"HTTP {response.status}: {_error_text(response, mask)}".rstrip(": ")
        return ToolResult.failed(error, text=say(language, "failed.tool", tool=name, why=f"HTTP {response.status}"))
    value = response_value(response, mask)
    return ToolResult(ok=True, text=truncate_for_people(value), value=value)


def response_value(response: ServerResponse, mask: EchoedSecretMask) -> object:
    """Return JSON or text, truncated for a model, or a description of other content."""
    if not response.content:
        return {"status": response.status}
    kind = response.content_type
    is_json = "json" in kind or not kind
    if not (is_json or kind.startswith(_TEXTS) or kind.endswith("xml")):
        size = f"more than {len(response.content)}" if response.is_truncated else str(len(response.content))
        return {"content_type": mask.text(kind), "bytes": size, "note": "not text; it cannot be shown here"}
    value: object = mask.text(response.text)
    if is_json:
        with suppress(ValueError, RecursionError):
            value = mask.value(json.loads(response.text))
    return truncate_for_model(value, is_truncated=response.is_truncated)


def truncate_for_model(value: object, *, is_truncated: bool = False) -> object:
    """Return `value`; if it is too long for a model, the beginning of its text with a note."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= _MAX_MODEL_TEXT_LENGTH and not is_truncated:
        return value
    note = "cut off: ask for less, such as one page"
    return {"text": text[:_MAX_MODEL_TEXT_LENGTH], "note": note}


def truncate_for_people(value: object) -> str:
    """Return `value` as text, truncated to a readable length."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shorten(text, _MAX_SHOWN_LENGTH)


def _error_text(response: ServerResponse, mask: EchoedSecretMask) -> str:
    """Return FastAPI's and RFC 9457's `detail`, or the beginning of the body."""
    try:
        body = mask.value(json.loads(response.text))
    except (ValueError, RecursionError):
        is_page = "html" in response.content_type
        return "" if is_page else " ".join(mask.text(response.text).split())[:_MAX_ERROR_LENGTH]
    if isinstance(body, dict):
        body = next((body[key] for key in ("detail", "message", "error", "title") if body.get(key)), body)
    if isinstance(body, list):
        body = "; ".join(_problem_text(problem) for problem in body[:5])
    return (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False))[:_MAX_ERROR_LENGTH]


def _problem_text(problem: object) -> str:
    """Return a problem with a field in one line; FastAPI lists such problems."""
    if isinstance(problem, dict) and "msg" in problem:
        place = problem.get("loc")
        field = ".".join(str(part) for part in place if part != "body") if isinstance(place, list) else ""
        return f"{field}: {problem['msg']}" if field else str(problem["msg"])
    return str(problem)
