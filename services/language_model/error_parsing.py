"""Parse the error formats of different model servers.

OpenAI writes `{"error": {"message", "code"}}`; others write a text there, wrap it in a list (Gemini), say `detail`
(FastAPI), `message` (vLLM, Mistral) or `base_resp` (MiniMax), or hide the cause in `metadata.raw` (OpenRouter).
"""

from collections.abc import Mapping

from msgspec import Struct

_TEXTS = ("message", "msg", "detail", "error_msg", "status_msg", "error")


class ServerErrorDetail(Struct, frozen=True, kw_only=True):
    """An error as the server reported it. `status` is the HTTP status named inside the answer, 0 without one.

    `code` is its own word for the failure; `generation` what the model wrote before the server refused it (Groq).
    """

    message: str
    code: str = ""
    status: int = 0
    generation: str = ""


def read_error(body: object) -> ServerErrorDetail | None:
    """Return the error in `body`; None when there is none."""
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
    told = _text(entry.get("msg")) or _text(entry.get("message"))
    return f"{where}: {told}" if where else told


def _cause(inner: Mapping[str, object]) -> str:
    metadata = inner.get("metadata")
    return _text(metadata.get("raw")) if isinstance(metadata, Mapping) else ""


def _word(value: object) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _status(inner: Mapping[str, object]) -> int:
    for name in ("status_code", "code", "http_code"):
        word = _word(inner.get(name))
        if word.isdigit() and 400 <= int(word) < 600:
            return int(word)
    return 0
