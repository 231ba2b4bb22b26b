"""Read one entry of `TOOL_SERVER_CONNECTIONS` as Open WebUI's form writes it, in the fields of our own connection.

Every field of the form is followed or refused by name: one that is skipped could offer tools to more people than meant.
Source: the specification's document on the registration of tools; Open WebUI 0.6 and later.
"""

import json
from collections.abc import Mapping
from typing import Final

from function_calls.toolsets.source import access_of_grants

_FORM: Final = frozenset(
    {"type", "spec_type", "spec", "config", "auth_type", "id", "info", "access_grants", "function_name_filter_list"}
)
_CONFIG: Final = frozenset({"enable", "access_control", "access_grants", "function_name_filter_list"})
_NEEDS_SESSION: Final = frozenset({"session", "system_oauth", "oauth_2.1", "oauth_2.1_static"})


class FormInvalid(ValueError):
    """A field of an entry has a value that is not supported; the text names it and never quotes a secret."""


def own_fields(given: Mapping[object, object]) -> dict[str, object]:
    """Return the fields of a connection; null counts as left out.

    Raises:
        FormInvalid: a field has a value that is not supported; the text names it and never quotes a secret.
    """
    entry = {str(key): value for key, value in given.items() if value is not None}
    config = _config(entry.get("config"))
    own = {key: value for key, value in entry.items() if key not in _FORM}
    own["type"] = _one_of("type", entry.get("type", "openapi"), ("openapi", "mcp"))
    own |= _spec(entry) if own["type"] == "openapi" else {}
    own.setdefault("enabled", config.get("enable", True))
    own |= _access(entry, config)
    names = entry.get("function_name_filter_list", config.get("function_name_filter_list"))
    if names is not None:
        own["name_filter"] = _name_filter(names)
    info = entry.get("info")
    if isinstance(info, Mapping) and info.get("name"):
        own.setdefault("name", str(info["name"]))
    if _has_no_key(entry.get("auth_type", "bearer")):
        own.pop("key", None)
    return own


def secrets_in(given: object) -> tuple[str, ...]:
    """Return the secrets of an entry that may be of no known form: key, passwords and header values."""
    if not isinstance(given, Mapping):
        return ()
    headers = given.get("headers")
    listed = [given.get(key) for key in ("key", "password", "client_secret")]
    listed += headers.values() if isinstance(headers, Mapping) else [headers]
    return tuple(each for each in listed if isinstance(each, str) and each)


def _config(written: object) -> dict[str, object]:
    if written is None:
        return {}
    if not isinstance(written, Mapping):
        raise FormInvalid("config must be an object")
    unknown = sorted(str(key) for key in written if key not in _CONFIG)
    if unknown:
        raise FormInvalid(f"config.{unknown[0]} is not supported")
    return {str(key): value for key, value in written.items() if value is not None}


def _spec(entry: Mapping[str, object]) -> dict[str, object]:
    """Return the document that stands in the entry itself, where `spec_type` says so."""
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


def _has_no_key(auth_type: object) -> bool:
    if auth_type in _NEEDS_SESSION:
        raise FormInvalid(
            f"auth_type {auth_type} is not supported: there is no login of Open WebUI to pass on; "
            "use bearer with a key, none, or client_id and client_secret"
        )
    return _one_of("auth_type", auth_type, ("bearer", "none")) == "none"


def _one_of(field: str, value: object, known: tuple[str, ...]) -> str:
    if value not in known:
        raise FormInvalid(f"{field} must be {' or '.join(known)}")
    return str(value)
