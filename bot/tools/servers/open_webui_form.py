"""Convert an entry of `TOOL_SERVER_CONNECTIONS` in the form of Open WebUI to the fields of a connection.

Every field of the form is used or refused by name: an ignored one could offer tools to more people than intended.
Source: the specification's document on the registration of tools; Open WebUI 0.6 and later.
"""

import json
from collections.abc import Mapping
from typing import Final

from function_calls.toolsets.source import access_of_grants

_FORM: Final = frozenset(
    {"type", "spec_type", "spec", "config", "auth_type", "id", "info", "access_grants", "function_name_filter_list"}
    | {"forward_cookies"}
)
_CONFIG: Final = frozenset({"enable", "access_control", "access_grants", "function_name_filter_list"})
_SIGN_IN: Final = frozenset({"oauth_2.1", "oauth_2.1_static"})
_SECRET_INFO: Final = ("oauth_client_secret", "oauth_client_info")
_ADVICE: Final = {
    "session": "there is no login of Open WebUI to pass on; use bearer with a key of the server",
    "system_oauth": "there is no login of Open WebUI to pass on; use bearer with a key of the server",
    "oauth_2.1": "it is for type mcp; use bearer with a key, or client_id and client_secret",
    "oauth_2.1_static": "it is for type mcp; use bearer with a key, or client_id and client_secret",
}


class FormInvalid(ValueError):
    """A field of an entry has a value that is not supported; the text names it and never quotes a secret."""


def read_form(given: Mapping[object, object]) -> dict[str, object]:
    """Return the fields of a connection; null counts as left out.

    Raises:
        FormInvalid: a field has a value that is not supported.
    """
    entry = {str(key): value for key, value in given.items() if value is not None}
    config = _config(entry.get("config"))
    own = {key: value for key, value in entry.items() if key not in _FORM}
    own["type"] = _one_of("type", entry.get("type") or "openapi", ("openapi", "mcp"))
    _check_forwarding(entry)
    own |= _spec(entry) if own["type"] == "openapi" else {}
    own.setdefault("enabled", config.get("enable", True))
    own |= _access(entry, config)
    names = entry.get("function_name_filter_list", config.get("function_name_filter_list"))
    if names is not None:
        own["name_filter"] = _name_filter(names)
    written = entry.get("info")
    info = written if isinstance(written, Mapping) else {}
    if info.get("name"):
        own.setdefault("name", str(info["name"]))
    auth_type = _auth_type(entry.get("auth_type", "bearer"), str(own["type"]))
    if auth_type != "bearer":
        own.pop("key", None)
    if auth_type in _SIGN_IN:
        own["oauth"] = _oauth(auth_type, info) | _object("oauth", own.get("oauth"))
    return own


def secrets_in(given: object) -> tuple[str, ...]:
    """Return the secrets of an entry that may be invalid: key, passwords and header values."""
    if not isinstance(given, Mapping):
        return ()
    headers, oauth, info = (given.get(key) for key in ("headers", "oauth", "info"))
    listed = [given.get(key) for key in ("key", "password", "client_secret")]
    listed += [oauth.get("client_secret")] if isinstance(oauth, Mapping) else []
    listed += [info.get(key) for key in _SECRET_INFO] if isinstance(info, Mapping) else []
    listed += headers.values() if isinstance(headers, Mapping) else [headers]
    return tuple(each for each in listed if isinstance(each, str) and each)


def _check_forwarding(entry: Mapping[str, object]) -> None:
    if entry.get("forward_cookies"):
        raise FormInvalid("forward_cookies is not supported: there are no cookies of Open WebUI to pass on")
    headers = entry.get("headers")
    for name, value in headers.items() if isinstance(headers, Mapping) else ():
        if "{{" in str(value):
            raise FormInvalid(f"headers.{name} has a variable of Open WebUI, which is not supported")


def _config(written: object) -> dict[str, object]:
    config = _object("config", written)
    unknown = sorted(key for key in config if key not in _CONFIG)
    if unknown:
        raise FormInvalid(f"config.{unknown[0]} is not supported")
    return {key: value for key, value in config.items() if value is not None}


def _object(field: str, written: object) -> dict[str, object]:
    """Return an object of the form with its keys as text; null is an empty object."""
    if written is None:
        return {}
    if not isinstance(written, Mapping):
        raise FormInvalid(f"{field} must be an object")
    return {str(key): value for key, value in written.items()}


def _spec(entry: Mapping[str, object]) -> dict[str, object]:
    """Return the document in the entry if `spec_type` is `json`."""
    if _one_of("spec_type", entry.get("spec_type", "url"), ("url", "json")) == "url":
        return {}
    spec = entry.get("spec")
    if isinstance(spec, str):
        try:
            spec = json.loads(spec)
        except (ValueError, RecursionError) as error:
            raise FormInvalid("spec is not JSON, which spec_type json needs") from error
    if not isinstance(spec, Mapping):
        raise FormInvalid("spec must be an OpenAPI document, which spec_type json needs")
    return {"spec": dict(spec)}


def _access(entry: Mapping[str, object], config: Mapping[str, object]) -> dict[str, object]:
    grants = entry.get("access_grants", config.get("access_grants"))
    written = entry.get("access_control", config.get("access_control"))
    if grants is None:
        return {"access_control": written}
    if written is not None:
        raise FormInvalid("access_control and access_grants cannot be given together")
    return {"access_control": access_of_grants(grants)}


def _name_filter(written: object) -> tuple[str, ...]:
    listed = written.split(",") if isinstance(written, str) else written
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise FormInvalid("function_name_filter_list must be names with commas between them, or a list of names")
    names = tuple(each.strip() for each in listed if each.strip())
    if "!" in names:
        raise FormInvalid("function_name_filter_list has a ! without a name")
    return names


def _oauth(auth_type: str, info: Mapping[object, object]) -> dict[str, object]:
    """Return the settings of a sign-in; with `oauth_2.1_static` by the client that `info` names."""
    if info.get("oauth_resource_parameter") == "omit":
        raise FormInvalid("info.oauth_resource_parameter omit is not supported: MCP requires the parameter resource")
    scope = str(info.get("oauth_scope") or "")
    if auth_type == "oauth_2.1":
        return {"scope": scope}
    client = {own: str(info.get(f"oauth_{own}") or "") for own in ("client_id", "client_secret")}
    if not all(client.values()):
        raise FormInvalid("auth_type oauth_2.1_static needs info.oauth_client_id and info.oauth_client_secret")
    issuer = str(info.get("oauth_server_url") or "")
    return {"grant_type": "authorization_code", "issuer": issuer, "scope": scope, **client}


def _auth_type(written: object, kind: str) -> str:
    name = written if isinstance(written, str) else ""
    if name in {"bearer", "none"} or (name in _SIGN_IN and kind == "mcp"):
        return name
    if name in _ADVICE:
        raise FormInvalid(f"auth_type {name} is not supported: {_ADVICE[name]}")
    raise FormInvalid("auth_type must be bearer or none, or with type mcp oauth_2.1 or oauth_2.1_static")


def _one_of(field: str, value: object, known: tuple[str, ...]) -> str:
    if value not in known:
        raise FormInvalid(f"{field} must be {' or '.join(known)}")
    return str(value)
