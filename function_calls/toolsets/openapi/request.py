"""Build the HTTP request of a call: place and encode each argument, without sending it.

Source: https://spec.openapis.org/oas/v3.1.0#style-values and RFC 6570.
"""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote, urlencode

from msgspec import Struct

from function_calls.toolsets.openapi.operation import Body, Operation, Parameter
from services.kernel.errors import ToolFailed

_RESERVED: Final = ":/?#[]@!$&'()*+,;="
_SEPARATORS: Final = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}

Pairs = tuple[tuple[str, str], ...]


class FormPart(Struct, frozen=True, kw_only=True):
    """One part of a form; with a `file_name` it is a file."""

    name: str
    content: bytes
    content_type: str = ""
    file_name: str = ""


class PreparedRequest(Struct, frozen=True, kw_only=True):
    """A request without its server. `path` and `query` are encoded.

    The body is in `content`, with the content type of `headers`, or in `parts` of a form.
    """

    method: str
    path: str
    query: str
    headers: Pairs
    cookies: Pairs
    content: bytes | None = None
    parts: tuple[FormPart, ...] = ()


def prepare_request(operation: Operation, arguments: Mapping[str, object]) -> PreparedRequest:
    """Build the request of a call with validated `arguments`.

    Raises:
        ToolFailed: a part of the path is empty, so that the request would be one for something else.
    """
    given = [
        (parameter, arguments[parameter.argument])
        for parameter in operation.parameters
        if arguments.get(parameter.argument) is not None
    ]
    path, query, headers, cookies = operation.path, list[str](), list[tuple[str, str]](), list[tuple[str, str]]()
    for parameter, value in given:
        if parameter.place == "path":
            segment = _path_segment(parameter, value)
            if not segment:
                raise ToolFailed(f"{parameter.argument} is a part of the path and must not be empty")
            path = path.replace(f"{{{parameter.name}}}", segment)
        elif parameter.place == "query":
            query += _query_pairs(parameter, value)
        elif parameter.place == "header":
            headers.append((parameter.name, _one_line(_join(parameter, value))))
        else:
            cookies += [(name, quote(text, safe="")) for name, text in _form_pairs(parameter, value)]
    content_type, content, parts = _body(operation.body, arguments)
    if content_type:
        headers.append(("Content-Type", content_type))
    return PreparedRequest(
        method=operation.method.upper(),
        path=path,
        query="&".join(query),
        headers=tuple(headers),
        cookies=tuple(cookies),
        content=content,
        parts=parts,
    )


def text_of(value: object) -> str:
    """Format a value for a URL, a header or a form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False)
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def _one_line(text: str) -> str:
    """Replace line breaks, with which a model could add headers."""
    return " ".join(text.split())


def _path_segment(parameter: Parameter, value: object) -> str:
    """Encode a value as one path segment, including slashes and dots."""
    text = quote(_join(parameter, value), safe="")
    if parameter.style == "label":
        text = "." + quote(_join(parameter, value, separator="." if parameter.explode else ","), safe="")
    elif parameter.style == "matrix":
        text = "".join(
            f";{quote(name, safe='')}={quote(element, safe='')}" for name, element in _form_pairs(parameter, value)
        )
    return text.replace(".", "%2E") if text.strip(".") == "" else text


def _join(parameter: Parameter, value: object, separator: str = ",") -> str:
    """Format lists and objects: `a,b` or `key,value` (exploded: `key=value`)."""
    if parameter.content_type:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        sign = "=" if parameter.explode else ","
        return separator.join(f"{name}{sign}{text_of(element)}" for name, element in value.items())
    if isinstance(value, list):
        return separator.join(text_of(element) for element in value)
    return text_of(value)


def _query_pairs(parameter: Parameter, value: object) -> list[str]:
    safe = _RESERVED.replace("&", "").replace("#", "").replace("+", "") if parameter.allows_reserved else ""
    return [f"{quote(name, safe='[]')}={quote(text, safe=safe)}" for name, text in _form_pairs(parameter, value)]


def _form_pairs(parameter: Parameter, value: object) -> list[tuple[str, str]]:
    """Return the pairs of name and value of an argument in its style."""
    name = parameter.name
    if parameter.content_type:
        return [(name, json.dumps(value, ensure_ascii=False))]
    if parameter.style == "deepObject" and isinstance(value, Mapping):
        return _deep(name, value)
    if isinstance(value, Mapping) and parameter.explode:
        return [(str(key), text_of(element)) for key, element in value.items()]
    if isinstance(value, list) and parameter.explode:
        return [(name, text_of(element)) for element in value]
    separator = _SEPARATORS.get(parameter.style, ",")
    return [(name, _join(parameter, value, separator))]


def _deep(name: str, value: object) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        return [pair for key, element in value.items() for pair in _deep(f"{name}[{key}]", element)]
    if isinstance(value, list):
        return [(name, text_of(element)) for element in value]
    return [(name, text_of(value))]


def _body(body: Body | None, arguments: Mapping[str, object]) -> tuple[str, bytes | None, tuple[FormPart, ...]]:
    if body is None:
        return "", None, ()
    if body.argument:
        value = arguments.get(body.argument)
        return ("", None, ()) if value is None else (body.content_type, _content(body.content_type, value), ())
    values = {name: arguments[argument] for argument, name in body.members.items() if argument in arguments}
    if not values and not body.is_required:
        return "", None, ()
    if body.content_type.startswith("multipart/"):
        return "", None, tuple(part for name, value in values.items() for part in _parts(body, name, value))
    return body.content_type, _content(body.content_type, values), ()


def _content(content_type: str, value: object) -> bytes:
    if "form-urlencoded" in content_type and isinstance(value, Mapping):
        pairs = [(str(name), text_of(element)) for name, part in value.items() for element in _as_list(part)]
        return urlencode(pairs, quote_via=quote).encode()
    if "json" in content_type or not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).encode()
    return file_content(value)[0]


def _as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def _parts(body: Body, name: str, value: object) -> list[FormPart]:
    if name in body.files:
        return [_file(body, name, text_of(element)) for element in _as_list(value)]
    kind = body.written_as.get(name, "")
    if isinstance(value, Mapping) or "json" in kind:
        return [FormPart(name=name, content=text_of(value).encode(), content_type=kind or "application/json")]
    return [FormPart(name=name, content=text_of(element).encode(), content_type=kind) for element in _as_list(value)]


def _file(body: Body, name: str, text: str) -> FormPart:
    content, kind = file_content(text)
    kind = kind or body.written_as.get(name, "").split(",")[0] or "application/octet-stream"
    return FormPart(name=name, content=content, content_type=kind, file_name=name)


def file_content(text: str) -> tuple[bytes, str]:
    """Return the content of a file argument: a `data:` URL with its type, or plain text."""
    head, comma, data = text.partition(",")
    if not (comma and head.startswith("data:")):
        return text.encode(), ""
    kind = head.removeprefix("data:").split(";")[0]
    if not head.endswith(";base64"):
        return data.encode(), kind
    try:
        return base64.b64decode(data, validate=True), kind
    except binascii.Error:
        return text.encode(), ""
