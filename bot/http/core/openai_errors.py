"""Return errors of `/v1` in OpenAI's form.

Source: https://platform.openai.com/docs/guides/error-codes
"""

from typing import Final

from pydantic import Field

from bot.http.core.answer import Answer

PREFIX: Final = "/v1"
COMPLETIONS: Final = "/chat/completions"
OPEN_WEBUI_PREFIX: Final = "/api"
"""The prefix under which Open WebUI has the same completions."""
_TYPES: Final = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class OpenAiError(Answer):
    """What went wrong; `param` is the field at fault, where there is one."""

    message: str = Field(examples=["There is nothing here."])
    type: str = Field(examples=["invalid_request_error"])
    param: str | None = None
    code: str = Field(examples=["not_found"])


class OpenAiErrorBody(Answer):
    """An error as OpenAI's clients expect it."""

    error: OpenAiError


def is_openai_path(path: str) -> bool:
    """Return whether requests to `path` come from OpenAI's clients."""
    return path.startswith(f"{PREFIX}/") or path == f"{OPEN_WEBUI_PREFIX}{COMPLETIONS}"


def type_of(status: int) -> str:
    """OpenAI's word for the kind of error that a status is."""
    return "server_error" if status >= 500 else _TYPES.get(status, "invalid_request_error")
