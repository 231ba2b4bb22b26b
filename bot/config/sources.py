"""Read the settings from `config.toml`, the file of the page and the environment."""

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal, TypeVar

from msgspec import Struct
from pydantic import BaseModel, SecretStr, ValidationError

from bot.config.field_errors import SettingInvalid
from bot.config.fields import Group
from bot.config.platform_catalog import GROUPS, NAMES
from bot.config.secrets import place_of, read_file, read_secret
from bot.config.settings import Settings
from bot.config.terminal import display_language
from function_calls.language.messages import FALLBACK, LANGUAGES, Message
from services.kernel.errors import ConfigError
from services.kernel.text import closest_names

M = TypeVar("M", bound=BaseModel)
Tables = dict[str, dict[str, object]]
"""Values by group and key; the group of a platform is `platforms.NAME`."""

PREFIX = "BUBBLES_"
_FILE: Final = Path("config.toml")
_FILE_SUFFIX = "_FILE"
_PLATFORM = "platforms."
_MIN_SIMILARITY = 0.4
"""The difflib ratio from which an unknown name is answered with the most similar setting."""

# Variables of other programs for the same settings; the BUBBLES_ name takes precedence.
_WELL_KNOWN = {
    "OPENAI_API_KEY": ("model", "api_key"),
    "OPENAI_BASE_URL": ("model", "base_url"),
    "PERPLEXITY_API_KEY": ("search", "perplexity_api_key"),
    "TAVILY_API_KEY": ("search", "tavily_api_key"),
    "BRAVE_API_KEY": ("search", "brave_api_key"),
    "TOOL_SERVER_CONNECTIONS": ("tool_servers", "connections"),
}


class Origin(Struct, frozen=True, kw_only=True):
    """The source of a value: `config.toml`, the file of the page, or an environment variable, called `name`."""

    kind: Literal["file", "page", "environment"]
    name: str


class LoadedSettings(Struct, frozen=True, kw_only=True):
    """The settings, the origins of values and the places of secrets by key, and the file for changes, or None."""

    settings: Settings
    origins: Mapping[str, Origin]
    saved: Path | None
    secrets: Mapping[str, str]


def load_settings(path: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of `read_settings` without their origins."""
    return read_settings(path, environment).settings


def read_settings(
    path: Path | None = None, environment: Mapping[str, str] | None = None, *, saved: Tables | None = None
) -> LoadedSettings:
    """Read `config.toml`, the file of the settings changed in the page, and the environment; later ones override.

    Each setting is also an environment variable, `BUBBLES_<GROUP>__<KEY>`; with the suffix `_FILE` it has the path of a
    file with the value, which keeps secrets out of the process list. A secret can be replaced by its place:
    `file:/path` or `keyring:service/name`.

    Args:
        path: the file to read; None reads `config.toml` of the working folder if it exists.
        environment: variables to read; by default those of the process.
        saved: tables to use in place of the file of the page.

    Raises:
        ConfigError: a file cannot be read, a setting is unknown, invalid or a secret in a file, or a secret cannot be
            read from its place. All errors are in it, if the files are TOML.
    """
    environment = os.environ if environment is None else environment
    errors: list[SettingInvalid] = []
    chosen, tables = _tables(path)
    variables = _variables(environment, errors)
    file = _page_file(tables, variables)
    more = page_tables(file) if saved is None else saved
    tables, more = _valid_part(tables, str(chosen), errors), _valid_part(more, str(file), errors)
    origins = {key: Origin(kind="file", name=str(chosen)) for key in _keys(tables)}
    origins |= {key: Origin(kind="page", name=str(file)) for key in _keys(more)}
    for group, table in more.items():
        tables.setdefault(group, {}).update(table)
    for name, group, key, value in variables:
        tables.setdefault(group, {})[key] = _parse_value(group, key, value)
        origins[f"{group}.{key}"] = Origin(kind="environment", name=name)
    secrets = dict(_secret_places(tables, origins, environment))
    _fetch_secrets(tables, errors)
    invalid: list[SettingInvalid] = []
    settings = _validate(tables, str(chosen), invalid)
    errors += [_of_origin(error, origins) for error in invalid]
    if settings is None or errors:
        raise errors[0].with_others(errors[1:])
    return LoadedSettings(settings=settings, origins=origins, saved=file, secrets=secrets)


def _variables(environment: Mapping[str, str], errors: list[SettingInvalid]) -> list[tuple[str, str, str, str]]:
    found = []
    for variable in _from_environment(environment, errors):
        name, group, key, _ = variable
        if key in setting_names(group):
            found.append(variable)
        else:
            errors.append(_unknown("environment", name, f"{group}.{key}", _all_keys()))
    return found


@contextmanager
def _collect(errors: list[SettingInvalid]) -> Iterator[None]:
    """Add an error to `errors` instead of raising it."""
    try:
        yield
    except SettingInvalid as error:
        errors.append(error)


def _page_file(tables: Tables, variables: Iterable[tuple[str, str, str, str]]) -> Path | None:
    """Return the file for the settings that are changed in the page."""
    own: dict[str, object] = {"data_dir": "data", "settings_file": "settings.toml", **tables.get("bot", {})}
    own |= {key: value for _, group, key, value in variables if group == "bot"}
    name = str(own["settings_file"])
    return Path(str(own["data_dir"])) / name if name else None


def page_tables(file: Path | None) -> Tables:
    """Return the tables of the file of the page; none if it does not exist.

    Raises:
        ConfigError: the file cannot be read.
    """
    return _split_platforms(_read(file)) if file is not None and file.exists() else {}


def _keys(tables: Tables) -> list[str]:
    return [f"{group}.{key}" for group, table in tables.items() for key in table]


def _of_origin(error: SettingInvalid, origins: Mapping[str, Origin]) -> SettingInvalid:
    """Name the source that the value in `error` comes from."""
    origin = next((each for key, each in origins.items() if f"{error.key}.".startswith(f"{key}.")), None)
    if origin is None:
        return error
    if origin.kind == "environment":
        return error.at("environment", origin.name)
    return error.at(origin.name, error.key)


def operator_language(path: Path | None = None) -> str:
    """Return the language of the terminal, else that of the bot as far as its settings can be read."""
    found: dict[str, object] = {}
    with suppress(ConfigError):
        _, tables = _tables(path)
        found |= tables.get("bot", {})
        variables = _variables(os.environ, [])
        found |= page_tables(_page_file(tables, variables)).get("bot", {})
        found |= {key: value for _, group, key, value in variables if group == "bot"}
    language = str(found.get("language"))
    return display_language(language if language in LANGUAGES else FALLBACK)


def _secret_places(
    tables: Tables, origins: Mapping[str, Origin], environment: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the key and the place of each secret that is set; the values are not read."""
    for group, table in sorted(tables.items()):
        for key, value in sorted(table.items()):
            if value and is_secret(group, key):
                place, origin = place_of(value), origins[f"{group}.{key}"]
                is_file = origin.name.startswith(PREFIX) and origin.name.endswith(_FILE_SUFFIX)
                own = f"file {environment[origin.name]}" if is_file else f"environment {origin.name}"
                yield f"{group}.{key}", own if place is None else str(place)


def settings_place(path: Path | None = None) -> Message | str:
    """Return the absolute path of the file that `read_settings` reads, or that the working folder has none."""
    file = (path or _FILE).absolute()
    if path is None and not file.exists():
        return Message("setting.no_file", {"name": file.name, "folder": file.parent})
    return str(file)


def _tables(path: Path | None) -> tuple[Path, Tables]:
    chosen = path or _FILE
    return chosen, _split_platforms(_read(chosen) if path is not None or chosen.exists() else {})


def _split_platforms(tables: Tables) -> Tables:
    """Move each `[platforms.NAME]` to a group `platforms.NAME`."""
    inside = {key: value for key, value in tables.get("platforms", {}).items() if isinstance(value, dict)}
    if not inside:
        return tables
    own = {key: value for key, value in tables["platforms"].items() if key not in inside}
    return {**tables, "platforms": own, **{f"{_PLATFORM}{name}": value for name, value in inside.items()}}


def _validate(tables: Mapping[str, dict[str, object]], path: str, errors: list[SettingInvalid]) -> Settings | None:
    groups: dict[str, Group] = {}
    for name in (each.removeprefix(_PLATFORM) for each in tables if each.startswith(_PLATFORM)):
        group = _build(GROUPS[name], tables[f"{_PLATFORM}{name}"], path, errors, f"{_PLATFORM}{name}.")
        if group is not None and group != GROUPS[name]():
            groups[name] = group
    own = {name: table for name, table in tables.items() if not name.startswith(_PLATFORM)}
    own["platforms"] = {**own.get("platforms", {}), "groups": groups}
    settings = _build(Settings, own, path, errors)
    for name in settings.platforms.enabled if settings is not None else ():
        if name not in NAMES:
            near = closest_names(name, list(NAMES), at_least=_MIN_SIMILARITY)
            fields = {"name": name, "near": near[0] if near else "", "known": ", ".join(NAMES)}
            code = "no_platform_near" if near else "no_platform"
            errors.append(SettingInvalid(path, "platforms.enabled", code, **fields))
    return settings


def _build(
    kind: type[M], values: Mapping[str, object], path: str, errors: list[SettingInvalid], prefix: str = ""
) -> M | None:
    """Return a model; None if values are invalid, with `errors` that have the names of the file and the settings."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:  # not kept as a cause, as it may quote a secret
        found = error.errors(include_url=False)
        errors += [SettingInvalid(path, prefix + ".".join(map(str, each["loc"])), each) for each in found]
    return None


def _read(path: Path) -> Tables:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingInvalid(str(path), "", "unreadable", why=error.strerror) from error
    except UnicodeDecodeError as error:
        raise SettingInvalid(str(path), "", "no_text", byte=error.start + 1) from error
    except tomllib.TOMLDecodeError as error:
        raise SettingInvalid(str(path), "", "no_toml", why=error) from error
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise SettingInvalid(str(path), name, "no_group")
    return tables


def _valid_part(tables: Tables, path: str, errors: list[SettingInvalid]) -> Tables:
    """Return the tables without unknown settings, and without secrets that are in the file itself."""
    valid: Tables = {}
    for group, table in tables.items():
        if group not in group_names():
            errors.append(_unknown(path, group, group, group_names()))
            continue
        valid[group] = {}
        for key, value in table.items():
            if key not in setting_names(group):
                errors.append(_unknown(path, f"{group}.{key}", f"{group}.{key}", _all_keys()))
            elif value and is_secret(group, key) and place_of(value) is None:
                name = f"{PREFIX}{group.replace('.', '__')}__{key}".upper()
                errors.append(SettingInvalid(path, f"{group}.{key}", "secret_in_file", variable=name))
            else:
                valid[group][key] = value
    return valid


def _fetch_secrets(tables: Mapping[str, dict[str, object]], errors: list[SettingInvalid]) -> None:
    """Replace the places of secrets by the secrets."""
    for group, table in tables.items():
        for key, value in table.items():
            place = place_of(value) if is_secret(group, key) else None
            if place is not None:
                with _collect(errors):
                    table[key] = read_secret(place, f"{group}.{key}")


def _unknown(path: str, key: str, name: str, known: list[str]) -> SettingInvalid:
    """Return the error of an unknown setting `key`, with the setting whose name is nearest to `name`."""
    near = closest_names(name, known, at_least=_MIN_SIMILARITY)
    return SettingInvalid(path, key, "unknown_near", near=near[0]) if near else SettingInvalid(path, key, "unknown")


def _from_environment(
    environment: Mapping[str, str], errors: list[SettingInvalid]
) -> Iterator[tuple[str, str, str, str]]:
    """Yield (variable, group, key, text); the `BUBBLES_` names come last, so that they take precedence."""
    for name, (group, key) in _WELL_KNOWN.items():
        if environment.get(name):
            yield name, group, key, environment[name]
    for name, value in environment.items():
        if not name.startswith(PREFIX):
            continue
        if "__" not in name:
            with _collect(errors):
                _refuse_single_underscore(name)
            continue
        group, key = _group_and_key(name.removeprefix(PREFIX).lower())
        if name.endswith(_FILE_SUFFIX) and key.removesuffix(_FILE_SUFFIX.lower()) in setting_names(group):
            key = key.removesuffix(_FILE_SUFFIX.lower())
            with _collect(errors):
                yield name, group, key, read_file(value, f"{group}.{key}")
        else:
            yield name, group, key, value


def _refuse_single_underscore(name: str) -> None:
    """Refuse a setting with one underscore after its group; other variables with the prefix are ignored."""
    for key in _all_keys():
        for suffix in ("", _FILE_SUFFIX):
            if name.upper() == f"{PREFIX}{key.replace('.', '_')}{suffix}".upper():
                near = f"{PREFIX}{key.replace('.', '__')}{suffix}".upper()
                raise SettingInvalid("environment", name, "unknown_near", near=near)


def _group_and_key(name: str) -> tuple[str, str]:
    """Split `bot__name` into bot, name and `platforms__irc__nick` into platforms.irc, nick."""
    group, _, key = name.partition("__")
    inner, _, rest = key.partition("__")
    if group == "platforms" and rest and inner in GROUPS:
        return f"{_PLATFORM}{inner}", rest
    return group, key


def _parse_value(group: str, key: str, value: str) -> object:
    """Split lists at commas; Pydantic parses the text of other types."""
    annotation = str(group_model(group).model_fields[key].annotation)
    if annotation.startswith("tuple"):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def group_model(name: str) -> type[Group]:
    """Return the model of a group of settings."""
    if name.startswith(_PLATFORM):
        return GROUPS[name.removeprefix(_PLATFORM)]
    annotation = Settings.model_fields[name].annotation
    if not (isinstance(annotation, type) and issubclass(annotation, Group)):
        raise TypeError(f"{name} is not a group of settings")
    return annotation


def group_names() -> list[str]:
    """Return the names of all groups, platforms last."""
    return [*Settings.model_fields, *(f"{_PLATFORM}{name}" for name in GROUPS)]


def setting_names(group: str) -> list[str]:
    """Return the names of the settings of a group: its fields with a description."""
    if group not in group_names():
        return []
    return [key for key, field in group_model(group).model_fields.items() if field.description]


def _all_keys() -> list[str]:
    return [f"{group}.{key}" for group in group_names() for key in setting_names(group)]


def is_secret(group: str, key: str) -> bool:
    """Return whether the value of a setting must never be shown."""
    return group_model(group).model_fields[key].annotation is SecretStr
