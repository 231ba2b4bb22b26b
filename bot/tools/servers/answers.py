"""Convert a tool server's response to a tool result."""

import json
from typing import Final

from msgspec import Struct

from bot.tools.servers.echoes import EchoedSecretMask
from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult
from services.kernel.errors import ToolFailed

_LONGEST_FED: Final = 16_000  # characters
_LONGEST_SHOWN: Final = 1_500
_LONGEST_ERROR: Final = 600
_TEXTS: Final = ("text/", "application/xml", "application/javascript", "application/x-www-form-urlencoded")


class ServerUnavailable(ToolFailed):
    """A tool server cannot be used: out of reach, of the wrong kind, or it wants to lead us elsewhere."""


class Answer(Struct, frozen=True, kw_only=True):
    """What a server said. `is_cut` says that there was more than was read."""

    status: int
    content_type: str
    content: bytes
    encoding: str = "utf-8"
    is_cut: bool = False

    @property
    def text(self) -> str:
        """Return the content as text."""
        return self.content.decode(self.encoding, errors="replace")


def result_of(name: str, answer: Answer, language: str, echoes: EchoedSecretMask) -> ToolResult:
    """Return the result of a call, without the secrets that `echoes` masks.

    A failure says the status and the beginning of the server's own text.
    """
    if answer.status >= 300:
        told = f"HTTP {answer.status}: {_error_text(answer, echoes)}".rstrip(": ")
        return ToolResult.failed(told, text=say(language, "failed.tool", tool=name, why=f"HTTP {answer.status}"))
    value = value_of(answer, echoes)
    return ToolResult(ok=True, text=shown(value), value=value)


def value_of(answer: Answer, echoes: EchoedSecretMask) -> object:
    """Return JSON as it is, text cut to a length that a model can be fed, anything else described."""
    if not answer.content:
        return {"status": answer.status}
    if "json" in answer.content_type or not answer.content_type:
        try:
            return fed(echoes.value(json.loads(answer.text)), is_cut=answer.is_cut)
        except (ValueError, RecursionError):
            return fed(echoes.text(answer.text), is_cut=answer.is_cut)
    if answer.content_type.startswith(_TEXTS) or answer.content_type.endswith("xml"):
        return fed(echoes.text(answer.text), is_cut=answer.is_cut)
    size = f"more than {len(answer.content)}" if answer.is_cut else str(len(answer.content))
    return {
        "content_type": echoes.text(answer.content_type),
        "bytes": size,
        "note": "not text; it cannot be shown here",
    }


def fed(value: object, *, is_cut: bool = False) -> object:
    """Cut `value` to a length that a model can be given, with a note that there is more."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= _LONGEST_FED and not is_cut:
        return value
    note = "cut off: ask for less, such as one page"
    return {"text": text[:_LONGEST_FED], "note": note}


def shown(value: object) -> str:
    """Format `value` for people, cut to a readable length."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _error_text(answer: Answer, echoes: EchoedSecretMask) -> str:
    """Return the server's text about the failure: FastAPI's and RFC 9457's `detail`, or the beginning of the body."""
    try:
        said = echoes.value(json.loads(answer.text))
    except (ValueError, RecursionError):
        is_page = "html" in answer.content_type
        return "" if is_page else " ".join(echoes.text(answer.text).split())[:_LONGEST_ERROR]
    if isinstance(said, dict):
        said = next((said[key] for key in ("detail", "message", "error", "title") if said.get(key)), said)
    if isinstance(said, list):
        said = "; ".join(_problem(each) for each in said[:5])
    return (said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))[:_LONGEST_ERROR]


def _problem(each: object) -> str:
    if isinstance(each, dict) and "msg" in each:
        where = ".".join(str(part) for part in each.get("loc", ()) if part != "body")
        return f"{where}: {each['msg']}" if where else str(each["msg"])
    return str(each)
