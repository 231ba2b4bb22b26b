"""Reads settings from `config.toml` and the environment; nothing else in Bubbles does."""

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import SecretStr, ValidationError

from bot.settings import Group, Settings
from services.errors import ConfigError

PREFIX = "BUBBLES_"
_FILE_SUFFIX = "_FILE"

# Names that the rest of the world uses for the same thing; the BUBBLES_ name wins.
_WELL_KNOWN = {
    "OPENAI_API_KEY": ("model", "api_key"),
    "OPENAI_BASE_URL": ("model", "base_url"),
    "PERPLEXITY_API_KEY": ("search", "perplexity_api_key"),
    "TAVILY_API_KEY": ("search", "tavily_api_key"),
    "BRAVE_API_KEY": ("search", "brave_api_key"),
}


def load_settings(path: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Read `config.toml` and the environment; the environment wins.

    Every setting is also an environment variable, `BUBBLES_<GROUP>__<KEY>`; a name that ends in `_FILE` holds the
    path of a file with the value, which keeps secrets out of the process list.

    Args:
        path: the file to read; None reads `config.toml` of the working folder if there is one.
        environment: variables to read; the process's own by default.

    Raises:
        ConfigError: the file cannot be read, or a setting is unknown, of the wrong kind or a secret in the file.
    """
    environment = os.environ if environment is None else environment
    chosen = path or Path("config.toml")
    tables = _read(chosen) if path is not None or chosen.exists() else {}
    _refuse_unknown(tables, str(chosen))
    _refuse_secrets(tables, str(chosen))
    for name, group, key, value in _from_environment(environment):
        if group not in Settings.model_fields or key not in _group(group).model_fields:
            raise ConfigError("environment", name, _nearest(f"{group}.{key}", _all_keys()))
        tables.setdefault(group, {})[key] = _parsed(group, key, value)
    try:
        return Settings.model_validate(tables)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(str(chosen), key, first["msg"]) from None  # the cause may quote a secret


def _read(path: Path) -> dict[str, dict[str, object]]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(str(path), "", f"cannot be read ({error.strerror})") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), "", f"is not valid TOML: {error}") from error
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ConfigError(str(path), name, "settings stand in groups; put it under a [group] line")
    return tables


def _refuse_unknown(tables: Mapping[str, Mapping[str, object]], path: str) -> None:
    for group, table in tables.items():
        if group not in Settings.model_fields:
            raise ConfigError(path, group, _nearest(group, list(Settings.model_fields)))
        for key in table:
            if key not in _group(group).model_fields:
                raise ConfigError(path, f"{group}.{key}", _nearest(f"{group}.{key}", _all_keys()))


def _refuse_secrets(tables: Mapping[str, Mapping[str, object]], path: str) -> None:
    for group, table in tables.items():
        for key, value in table.items():
            if value and is_secret(group, key):
                name = f"{PREFIX}{group}__{key}".upper()
                raise ConfigError(path, f"{group}.{key}", f"secrets do not belong in a file that is shared; set {name}")


def _nearest(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.4)
    return f"unknown setting; did you mean {near[0]}?" if near else "unknown setting"


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield (variable, group, key, text), the well-known names first so that ours win."""
    for name, (group, key) in _WELL_KNOWN.items():
        if environment.get(name):
            yield name, group, key, environment[name]
    for name, value in environment.items():
        if not name.startswith(PREFIX) or "__" not in name:
            continue
        group, _, key = name.removeprefix(PREFIX).lower().partition("__")
        if name.endswith(_FILE_SUFFIX) and key.removesuffix(_FILE_SUFFIX.lower()) in _fields(group):
            yield name, group, key.removesuffix(_FILE_SUFFIX.lower()), _file_text(name, value)
        else:
            yield name, group, key, value


def _file_text(name: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError("environment", name, f"{path} cannot be read ({error.strerror})") from error


def _parsed(group: str, key: str, value: str) -> object:
    """Lists are written with commas in the environment; Pydantic reads every other kind from its text."""
    annotation = str(_group(group).model_fields[key].annotation)
    if annotation.startswith("tuple"):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _group(name: str) -> type[Group]:
    annotation = Settings.model_fields[name].annotation
    if not (isinstance(annotation, type) and issubclass(annotation, Group)):
        raise TypeError(f"{name} is not a group of settings")
    return annotation


def _fields(group: str) -> list[str]:
    return list(_group(group).model_fields) if group in Settings.model_fields else []


def _all_keys() -> list[str]:
    return [f"{group}.{key}" for group in Settings.model_fields for key in _fields(group)]


def is_secret(group: str, key: str) -> bool:
    """Whether the value of a setting must never be shown."""
    return _group(group).model_fields[key].annotation is SecretStr


def secret_values(settings: Settings) -> tuple[str, ...]:
    """The secrets themselves, for masking them in logs; empty ones left out."""
    groups: list[Group] = [getattr(settings, name) for name in Settings.model_fields]
    values = (getattr(group, key) for group in groups for key in type(group).model_fields)
    return tuple(
        value.get_secret_value() for value in values if isinstance(value, SecretStr) and value.get_secret_value()
    )
