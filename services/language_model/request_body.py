"""Write a request's body: as bytes around a tool list that was serialised before, or as plain keywords."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Final, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from services.language_model.compat import Body, CompatibilityFallback, apply_first_fallback, rename_calls
from services.language_model.ports import CompletionRequest

_MAX_ID_LENGTH: Final = 40
"""The limit of OpenAI for the id of a call, in characters."""


class BodyForm(Struct, frozen=True, kw_only=True):
    """The form of the body for one server: `extra` fields of the operator, such as `temperature`, and fallbacks."""

    extra: Mapping[str, object] = {}
    fallbacks: tuple[CompatibilityFallback, ...] = ()


def body_bytes(model: str, request: CompletionRequest, form: BodyForm) -> bytes:
    """Return the body as UTF-8 JSON.

    The serialised tool list is copied to the end, so that the time does not depend on the number of tools.
    """
    fields, tools = body_fields(model, request, form), request.tools
    if form.fallbacks:
        tools = cast("bytes | None", fields.pop("tools", None))
    try:
        head = msgspec.json.encode(fields, enc_hook=dict)
    except (UnicodeEncodeError, OverflowError):  # half of a surrogate pair in a chat message, or a huge integer
        head = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=dict).encode("utf-8", "replace")
    return head if tools is None else head[:-1] + b',"tools":' + tools + b"}"


def body_fields(model: str, request: CompletionRequest, form: BodyForm) -> Body:
    """Return the fields of the body, with the serialised tools only if there are fallbacks, which may change them."""
    messages = rename_calls(request.messages, _shorten_id)
    fields: Body = {"model": request.model or model, "messages": messages, **form.extra}
    if request.max_tokens is not None:
        fields["max_tokens"] = request.max_tokens
    if request.response_format is not None:
        fields["response_format"] = request.response_format
    if request.on_text is not None:
        fields["stream"] = True
        fields["stream_options"] = {"include_usage": True}
    if request.tools is not None and request.tool_choice is not None:
        fields["tool_choice"] = request.tool_choice
    if form.fallbacks:
        _apply_fallbacks(fields, request, form)
    return fields


def _shorten_id(identity: str) -> str:
    """Return an id of a call that every server accepts: the hash of a long one, such as that of a confirmed call."""
    return identity if len(identity) <= _MAX_ID_LENGTH else f"call_{sha256(identity.encode()).hexdigest()[:32]}"


def add_fallback(form: BodyForm, model: str, request: CompletionRequest, message: str) -> BodyForm | None:
    """Add to `form` the fallback that the error `message` about `request` asks for; None if it asks for none."""
    fields = body_fields(model, request, replace(form, fallbacks=()))
    _apply_fallbacks(fields, request, form)
    found = apply_first_fallback(message, fields, form.fallbacks)
    return None if found is None else replace(form, fallbacks=(*form.fallbacks, found))


def _apply_fallbacks(fields: Body, request: CompletionRequest, form: BodyForm) -> None:
    """Put the tools among the fields and apply every fallback."""
    if request.tools is not None:
        fields["tools"] = request.tools
    for fallback in form.fallbacks:
        fallback.make(fields)
