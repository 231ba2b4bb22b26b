"""Return errors as `{code, detail, hint}`, or in OpenAI's form under `/v1`, in the client's language.

Source of the latter: https://platform.openai.com/docs/guides/error-codes
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from loguru import logger
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection

from bot.config.field_errors import config_error_text, field_problem
from bot.http.core.bodies import Answer
from function_calls.language.messages import FALLBACK, LANGUAGES, knows, say
from function_calls.tools.dispatch.execution import refusal_text
from services.kernel.clock import SystemClock
from services.kernel.errors import (
    ConfigError,
    DeliveryFailed,
    RequestRefused,
    StorageBusy,
    StorageFull,
    StorageUnavailable,
)

_MAX_FIELD_ERRORS: Final = 20
_TOO_MANY: Final = 429
_SERVER_ERROR: Final = 500
PREFIX: Final = "/v1"
COMPLETIONS: Final = "/chat/completions"
OPEN_WEBUI_PREFIX: Final = "/api"
"""The prefix under which Open WebUI has the same completions."""
_TYPES: Final = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def field_problems(language: str, errors: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Describe Pydantic's errors by field, such as `attachments.0.kind`; the name of the body is empty."""
    problems: dict[str, str] = {}
    for error in errors[:_MAX_FIELD_ERRORS]:
        place = ".".join(str(part) for part in error["loc"][1:]) if error["type"] != "json_invalid" else ""
        problems.setdefault(place, field_problem(language, error))
    return problems


def invalid_fields(language: str, problems: Mapping[str, str], status: int = 422) -> "HttpRefused":
    """Return the refusal of a request with wrong fields."""
    return HttpRefused(status, "invalid", problems=problems, problems_told=join_problems(language, problems))


def join_problems(language: str, problems: Mapping[str, str]) -> str:
    """Join the problems in one line that begins with the missing fields."""
    body, required = say(language, "field.body"), say(language, "field.missing")
    missing = [place for place, problem in problems.items() if place and problem == required]
    sentences = [f"{place or body}: {problem}" for place, problem in problems.items() if place not in missing]
    if missing:
        key = "field.required" if len(missing) == 1 else "field.required_many"
        sentences.insert(0, say(language, key, fields=", ".join(f"`{each}`" for each in missing)))
    return " ".join(sentences)


class OpenAiError(Answer):
    """An error; `param` is the field at fault, if any."""

    message: str = Field(examples=["There is nothing here."])
    type: str = Field(examples=["invalid_request_error"])
    param: str | None = None
    code: str = Field(examples=["not_found"])


class OpenAiErrorBody(Answer):
    """An error in OpenAI's form."""

    error: OpenAiError


def is_openai_path(path: str) -> bool:
    """Return whether `path` belongs to the OpenAI-compatible API."""
    return path.startswith(f"{PREFIX}/") or path == f"{OPEN_WEBUI_PREFIX}{COMPLETIONS}"


def openai_error_type(status: int) -> str:
    """Return OpenAI's error type for an HTTP status."""
    return "server_error" if status >= _SERVER_ERROR else _TYPES.get(status, "invalid_request_error")


class ErrorBody(Answer):
    """An error: `code` for programs, `detail` and `hint` for people, the problems of `fields` by name."""

    code: str = Field(examples=["not_found"])
    detail: str = Field(examples=["There is nothing here."])
    hint: str = Field("", examples=["GET /api/openapi.json lists what there is."])
    fields: dict[str, str] = Field(default_factory=dict)


class HttpRefused(Exception):
    """The request cannot be served. `code` names a message (`http.<code>`) with `fields`.

    `problems` are those of the fields of the request; `retry_after` is in seconds.
    """

    def __init__(
        self,
        status: int,
        code: str,
        *,
        problems: Mapping[str, str] | None = None,
        retry_after: float = 0.0,
        **fields: object,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.problems = dict(problems or {})
        self.retry_after = retry_after
        self.fields = fields

    @property
    def is_temporary(self) -> bool:
        """Return whether the same request may succeed later."""
        return self.status == _TOO_MANY or self.status >= _SERVER_ERROR


REFUSED_STATUS: Final = {
    "reminder_unknown": 404,
    "no_reminders": 404,
    "nothing_of_yours": 404,
    "reminder_ambiguous": 409,
    "not_your_reminder": 403,
    "not_your_change": 403,
    "changed_meanwhile": 409,
    "already_undone": 409,
    "changed_since": 409,
    "change_forgotten": 404,
    "too_many_reminders": 409,
    "search_not_configured": 409,
    "search_unavailable": 503,
}
"""The status of a `RequestRefused` by its code; 422 for all others."""

_CODES: Final = {
    404: "not_found",
    405: "method_not_allowed",
    401: "unauthorized",
    403: "forbidden",
    413: "too_large",
}


_ERROR_DESCRIPTIONS: Final = {
    "400": "The request cannot be read",
    "401": "A token is needed",
    "403": "Not allowed",
    "404": "Not found",
    "409": "Conflicts with the current state",
    "413": "The request is too large",
    "415": "The file type is not supported",
    "422": "A value in the request is invalid",
    "429": "Too many requests",
    "500": "Internal error",
    "501": "A necessary package is not installed",
    "503": "Not available now",
}
"""The errors of any route, for the OpenAPI document."""

_FASTAPI_INVALID: Final = "HTTPValidationError"


def describe_errors(document: dict[str, Any]) -> None:
    """Add the errors to all operations of an OpenAPI document that do not define them.

    As `responses=` of FastAPI they would need a validator for each error and route: a second at the start.
    """
    schemas = document["components"]["schemas"]
    for unused in (_FASTAPI_INVALID, "ValidationError"):
        schemas.pop(unused, None)
    for body in (ErrorBody, OpenAiError, OpenAiErrorBody):
        schema = body.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
        schema.pop("$defs", None)
        schemas[body.__name__] = schema
    for path, methods in document["paths"].items():
        errors = _describe(OpenAiErrorBody if is_openai_path(path) else ErrorBody)
        for operation in methods.values():
            answers = operation["responses"]
            if _FASTAPI_INVALID in str(answers.get("422")):
                del answers["422"]
            operation["responses"] = dict(sorted({**errors, **answers}.items()))


def _describe(body: type[Answer]) -> dict[str, dict[str, object]]:
    schema = {"$ref": f"#/components/schemas/{body.__name__}"}
    content = {"application/json": {"schema": schema}}
    return {status: {"description": meaning, "content": content} for status, meaning in _ERROR_DESCRIPTIONS.items()}


def error_response(
    request: HTTPConnection, status: int, code: str, *, problems: Mapping[str, str] | None = None, **fields: object
) -> JSONResponse:
    """Return the error response with the message `http.<code>`."""
    language = request_language(request)
    detail = say(language, f"http.{code}", **fields)
    hint = say(language, f"http.{code}_hint", **fields) if knows(f"http.{code}_hint") else ""
    return _response(request, status, ErrorBody(code=code, detail=detail, hint=hint, fields=dict(problems or {})))


def refusal_response(request: HTTPConnection, error: HttpRefused) -> JSONResponse:
    """Return the error response for a refusal, with its `Retry-After`."""
    answer = error_response(request, error.status, error.code, problems=error.problems, **error.fields)
    if error.retry_after:
        answer.headers["Retry-After"] = str(math.ceil(error.retry_after))
    return answer


def _response(request: HTTPConnection, status: int, body: ErrorBody) -> JSONResponse:
    content: Answer = _to_openai_error(status, body) if is_openai_path(request.scope["path"]) else body
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse(content.model_dump(), status_code=status, headers=headers)


def _to_openai_error(status: int, body: ErrorBody) -> OpenAiErrorBody:
    message = f"{body.detail} {body.hint}".rstrip()
    error = OpenAiError(
        message=message, type=openai_error_type(status), param=next(iter(body.fields), None), code=body.code
    )
    return OpenAiErrorBody(error=error)


def request_language(request: HTTPConnection) -> str:
    """Return the first language in `Accept-Language` that the bot has messages in."""
    for part in request.headers.get("accept-language", "").lower().split(","):
        language = part.strip().partition(";")[0].partition("-")[0]
        if language in LANGUAGES:
            return language
    return FALLBACK


def add_error_handlers(app: FastAPI) -> None:
    """Let `app` answer all errors in this form."""
    app.exception_handler(HttpRefused)(_handle_refusal)
    app.exception_handler(RequestRefused)(_handle_request_refused)
    app.exception_handler(RequestValidationError)(_handle_invalid_request)
    app.exception_handler(HTTPException)(_handle_http_error)
    for kind in (
        ClientDisconnect,
        ConfigError,
        StorageBusy,
        StorageUnavailable,
        StorageFull,
        DeliveryFailed,
        Exception,
    ):
        app.exception_handler(kind)(_handle_failure)


async def _handle_refusal(request: Request, error: HttpRefused) -> JSONResponse:
    return refusal_response(request, error)


async def _handle_request_refused(request: Request, error: RequestRefused) -> JSONResponse:
    detail = refusal_text(request_language(request), error, SystemClock().now())
    return _response(request, REFUSED_STATUS.get(error.code, 422), ErrorBody(code=error.code, detail=detail))


async def _handle_invalid_request(request: Request, error: RequestValidationError) -> JSONResponse:
    language = request_language(request)
    problems = field_problems(language, error.errors())
    status = 400 if any(each["type"] == "json_invalid" for each in error.errors()) else 422
    return refusal_response(request, invalid_fields(language, problems, status))


async def _handle_http_error(request: Request, error: HTTPException) -> JSONResponse:
    code = _CODES.get(error.status_code, "bad_request")
    answer = error_response(request, error.status_code, code)
    answer.headers.update(error.headers or {})
    return answer


async def _handle_failure(request: Request, error: Exception) -> JSONResponse:
    """Answer an error that the request did not cause, and log it."""
    match error:
        case ClientDisconnect():
            return error_response(request, 400, "bad_request")
        case ConfigError():
            return error_response(request, 501, "not_set_up", why=config_error_text(error, request_language(request)))
        case StorageBusy() | StorageUnavailable() | DeliveryFailed():
            logger.warning("{} {} failed, service unavailable: {}", request.method, _path_of_route(request), error)
            return error_response(request, 503, "unavailable")
        case StorageFull():
            logger.error("{} {} failed, disk full: {}", request.method, _path_of_route(request), error)
            return error_response(request, 503, "disk_full")
        case _:
            logger.opt(exception=error).error("{} {} failed", request.method, _path_of_route(request))
            return error_response(request, 500, "internal")


def _path_of_route(request: Request) -> str:
    """Return the path with the names of its parameters: the addresses of calendars and files are secret."""
    return str(getattr(request.scope.get("route"), "path", request.url.path))
