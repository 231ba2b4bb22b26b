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

_MOST: Final = 20
_NUMBERS: Final = ("int_type", "int_parsing", "int_parsing_size", "int_from_float", "float_type", "float_parsing")
_SENTENCES: Final[Mapping[str, str]] = {
    "missing": "missing",
    "extra_forbidden": "unknown",
    "json_invalid": "no_json",
    "string_type": "text",
    "string_too_short": "short",
    "string_too_long": "long",
    "string_pattern_mismatch": "pattern",
    "too_short": "few",
    "too_long": "many",
    "literal_error": "choice",
    "enum": "choice",
    "greater_than": "above",
    "greater_than_equal": "least",
    "less_than": "below",
    "less_than_equal": "most",
    "bool_type": "yes_or_no",
    "bool_parsing": "yes_or_no",
    "list_type": "list",
    "dict_type": "object",
    "model_type": "object",
    "model_attributes_type": "object",
    "datetime_type": "moment",
    "datetime_parsing": "moment",
    "datetime_from_date_parsing": "moment",
    "timezone_aware": "moment",
    "date_from_datetime_parsing": "date",
    "date_parsing": "date",
    **dict.fromkeys(_NUMBERS, "number"),
}
"""The sentence (`field.<name>`) for each type of error that Pydantic knows; all others are told in general."""

PREFIX: Final = "/v1"
COMPLETIONS: Final = "/chat/completions"
OPEN_WEBUI_PREFIX: Final = "/api"
"""The prefix under which Open WebUI has the same completions."""
_TYPES: Final = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def field_problems(language: str, errors: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return what is wrong, by field (`attachments.0.kind`; empty for the body), of the errors that Pydantic gives."""
    problems: dict[str, str] = {}
    for error in errors[:_MOST]:
        place = ".".join(str(part) for part in error["loc"][1:]) if error["type"] != "json_invalid" else ""
        problems.setdefault(place, field_problem(language, error))
    return problems


def field_problem(language: str, error: Mapping[str, Any] | str) -> str:
    """Describe one error of Pydantic, or what has a name under `field.`; other text is returned as it is."""
    if isinstance(error, str):
        return say(language, f"field.{error}") if knows(f"field.{error}") else _sentence(error)
    if error["type"] == "value_error" and language == "en":
        return _sentence(str(error["msg"]).removeprefix("Value error, "))
    own = error["type"] if knows(f"field.{error['type']}") else "other"
    sentence = _SENTENCES.get(error["type"], own)
    context = dict(error.get("ctx", {}))
    if "expected" in context:  # 'a', 'b' or 'c'
        context["expected"] = str(context["expected"]).replace(" or ", ", ")
    return say(language, f"field.{sentence}", **context)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}{'' if text.endswith('?') else '.'}"


def in_one_line(language: str, problems: Mapping[str, str]) -> str:
    """Join the problems in one line; the missing fields first, in one sentence."""
    body, required = say(language, "field.body"), say(language, "field.missing")
    missing = [place for place, problem in problems.items() if place and problem == required]
    told = [f"{place or body}: {problem}" for place, problem in problems.items() if place not in missing]
    if missing:
        key = "field.required" if len(missing) == 1 else "field.required_many"
        told.insert(0, say(language, key, fields=", ".join(f"`{each}`" for each in missing)))
    return " ".join(told)


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
    """Return OpenAI's error type for an HTTP status."""
    return "server_error" if status >= 500 else _TYPES.get(status, "invalid_request_error")


class ErrorBody(Answer):
    """What went wrong: `code` for programs, `detail` and `hint` for people, `fields` where one is at fault."""

    code: str = Field(examples=["not_found"])
    detail: str = Field(examples=["There is nothing here."])
    hint: str = Field("", examples=["GET /api/openapi.json lists what there is."])
    fields: dict[str, str] = Field(default_factory=dict)


class HttpRefused(Exception):
    """The request cannot be served. `code` names a sentence of the wording (`http.<code>`), `fields` fill it.

    `problems` says which field of the request is wrong, and how; `retry_after`, in seconds, when it can be served.
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


REFUSED_STATUS: Final = {
    "reminder_unknown": 404,
    "no_reminders": 404,
    "nothing_of_yours": 404,
    "reminder_ambiguous": 409,
    "not_your_reminder": 403,
    "not_your_change": 403,
    "already_undone": 409,
    "changed_since": 409,
    "change_forgotten": 404,
    "too_many_reminders": 409,
    "search_not_configured": 409,
    "search_unavailable": 503,
}


"""The status of what a service refuses, by its code; 422 for all others."""


_OF_STATUS: Final = {
    404: "not_found",
    405: "method_not_allowed",
    401: "unauthorized",
    403: "forbidden",
    413: "too_large",
}


_MEANINGS: Final = {
    "400": "The request cannot be read",
    "401": "A token is needed",
    "403": "Not allowed",
    "404": "There is no such thing",
    "409": "It contradicts what there is",
    "413": "The request is too large",
    "415": "It is of a kind that is not taken",
    "422": "Something in the request is not right",
    "429": "Too many requests",
    "500": "A fault of the bot",
    "501": "Something needed is not installed",
    "503": "Not available now",
}


"""The errors that any route may answer with, for the OpenAPI document."""


_FASTAPI_INVALID: Final = "HTTPValidationError"


def describe_errors(document: dict[str, Any]) -> None:
    """Add the errors to every operation of an OpenAPI document that says nothing of its own about them.

    Told to FastAPI as `responses=`, they would cost a validator each on each route: a second at the start.
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
    return {status: {"description": meaning, "content": content} for status, meaning in _MEANINGS.items()}


def error_response(
    request: HTTPConnection, status: int, code: str, *, problems: Mapping[str, str] | None = None, **fields: object
) -> JSONResponse:
    """Return the answer to a request that cannot be served."""
    language = language_asked(request)
    detail = say(language, f"http.{code}", **fields)
    hint = say(language, f"http.{code}_hint", **fields) if knows(f"http.{code}_hint") else ""
    return _response(request, status, ErrorBody(code=code, detail=detail, hint=hint, fields=dict(problems or {})))


def refusal_response(request: HTTPConnection, error: HttpRefused) -> JSONResponse:
    """Return the answer to a request that was refused, with `Retry-After` where it can be served later."""
    answer = error_response(request, error.status, error.code, problems=error.problems, **error.fields)
    if error.retry_after:
        answer.headers["Retry-After"] = str(math.ceil(error.retry_after))
    return answer


def _response(request: HTTPConnection, status: int, body: ErrorBody) -> JSONResponse:
    told: Answer = _as_openai_does(status, body) if is_openai_path(request.scope["path"]) else body
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse(told.model_dump(), status_code=status, headers=headers)


def _as_openai_does(status: int, body: ErrorBody) -> OpenAiErrorBody:
    message = f"{body.detail} {body.hint}".rstrip()
    error = OpenAiError(message=message, type=type_of(status), param=next(iter(body.fields), None), code=body.code)
    return OpenAiErrorBody(error=error)


def language_asked(request: HTTPConnection) -> str:
    """Return the language that the request prefers: the first of its list that we speak."""
    for part in request.headers.get("accept-language", "").lower().split(","):
        language = part.strip().partition(";")[0].partition("-")[0]
        if language in LANGUAGES:
            return language
    return FALLBACK


def add_error_handlers(app: FastAPI) -> None:
    """Let `app` answer every error in this form."""
    app.exception_handler(HttpRefused)(_refused)
    app.exception_handler(RequestRefused)(_request_refused)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(HTTPException)(_http)
    for kind in (
        ClientDisconnect,
        ConfigError,
        StorageBusy,
        StorageUnavailable,
        StorageFull,
        DeliveryFailed,
        Exception,
    ):
        app.exception_handler(kind)(_failed)


async def _refused(request: Request, error: HttpRefused) -> JSONResponse:
    return refusal_response(request, error)


async def _request_refused(request: Request, error: RequestRefused) -> JSONResponse:
    detail = refusal_text(language_asked(request), error, SystemClock().now())
    return _response(request, REFUSED_STATUS.get(error.code, 422), ErrorBody(code=error.code, detail=detail))


async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    language = language_asked(request)
    problems = field_problems(language, error.errors())
    told = in_one_line(language, problems)
    status = 400 if any(each["type"] == "json_invalid" for each in error.errors()) else 422
    return error_response(request, status, "invalid", problems=problems, problems_told=told)


async def _http(request: Request, error: HTTPException) -> JSONResponse:
    code = _OF_STATUS.get(error.status_code, "bad_request")
    answer = error_response(request, error.status_code, code)
    answer.headers.update(error.headers or {})
    return answer


async def _failed(request: Request, error: Exception) -> JSONResponse:
    """Answer an error that is not the fault of the request, and log it."""
    match error:
        case ClientDisconnect():
            return error_response(request, 400, "bad_request")
        case ConfigError():
            return error_response(request, 501, "not_set_up", why=error)
        case StorageBusy() | StorageUnavailable() | DeliveryFailed():
            logger.warning("{} {} failed, service unavailable: {}", request.method, request.url.path, error)
            return error_response(request, 503, "unavailable")
        case StorageFull():
            logger.error("{} {} failed, disk full: {}", request.method, request.url.path, error)
            return error_response(request, 503, "disk_full")
        case _:
            logger.opt(exception=error).error("{} {} failed", request.method, request.url.path)
            return error_response(request, 500, "internal")
