"""Change settings while the bot runs: check them, write them to the file of the page, and keep a history."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, cast

import msgspec
from msgspec import Struct
from pydantic import JsonValue, SecretStr, ValidationError
from pydantic_core import ErrorDetails

from bot.config.field_errors import SettingInvalid
from bot.config.settings import Settings
from bot.config.sources import (
    LoadedSettings,
    Tables,
    group_model,
    group_names,
    is_secret,
    page_tables,
    read_settings,
    setting_names,
)
from services.kernel.errors import AssistantError, ConfigError
from services.kernel.private_files import make_private_folder, replace_file
from services.kernel.text import replace_unstorable_in

RESTART_KEYS: Final = frozenset({"http.enabled", "http.host", "http.port", "console.person", "console.room"})
"""Settings that need a restart."""

FIXED_KEYS: Final = frozenset(
    {
        "bot.data_dir",
        "bot.settings_file",
        "plugins.folder",
        "plugins.installed",
        "skills.folder",
        "skills.pins",
        "tool_servers.mcp_file",
        "tool_servers.python_tools",
        "workspace.folder",
    }
)
"""Settings that cannot be changed here: the location of the file, and programs that the bot may run."""

_MAX_CHANGES: Final = 100
_HISTORY_SUFFIX: Final = ".history.json"
_PRIVATE_FOLDER: Final = "secrets"
_HEAD: Final = "# Settings changed in the page, which writes this file anew. The environment wins over them.\n"


class SettingsInvalid(AssistantError):
    """Values are invalid; `problems` has by key the error of Pydantic, or a name or text of the problem."""

    def __init__(self, problems: Mapping[str, ErrorDetails | str]) -> None:
        super().__init__(", ".join(problems))
        self.problems = dict(problems)


class SettingsChange(Struct, kw_only=True):
    """A change of settings: by key the values in the file before and after it, null for none.

    The value of a secret is its place. `problem` is the error of a start with the change, which was then reverted.
    """

    id: int
    at: str
    person: str
    before: dict[str, Any]
    after: dict[str, Any]
    undoes: int | None = None
    problem: str = ""


class SettingsEditor(Struct, eq=False):
    """Changes the settings of a running bot.

    `changed` is set when the bot should apply new settings; if it is None, each change needs a restart.
    """

    path: Path | None = None
    environment: Mapping[str, str] | None = None
    changed: asyncio.Event | None = None

    def load(self) -> LoadedSettings:
        """Read the settings as a start would.

        Raises:
            ConfigError: a file or a variable is invalid.
        """
        return read_settings(self.path, self.environment)

    def preview(self, values: Mapping[str, JsonValue]) -> Settings:
        """Return the settings with `values`, without storing them; null removes a value of the page.

        Raises:
            SettingsInvalid: a value is invalid.
        """
        loaded = self.load()
        self._check(values, loaded)
        plain = {key: value for key, value in values.items() if not is_secret(*split_key(key))}
        settings = self._read(_merge(page_tables(loaded.saved), plain))
        for key, value in values.items():
            if key not in plain:
                settings = _with_secret(settings, *split_key(key), str(value or ""))
        return settings

    def save(self, values: Mapping[str, JsonValue], *, person: str, at: str) -> SettingsChange:
        """Check and store `values`, and add the change to the history.

        Raises:
            SettingsInvalid: a value is invalid.
        """
        loaded, values = self.load(), cast("dict[str, JsonValue]", replace_unstorable_in({**values}))
        self._check(values, loaded)
        file = _file_of(loaded)
        changes = _read_history(file)
        number = changes[-1].id + 1 if changes else 1
        with _secret_files(file, values, number) as stored:
            change = SettingsChange(id=number, at=at, person=person, before={}, after=stored)
            return self._store(file, changes, stored, change)

    def undo(self, change_id: int, *, person: str, at: str) -> SettingsChange:
        """Undo a change: restore the values before it.

        Raises:
            LookupError: no change has the id.
            SettingsInvalid: a former value is no longer valid.
        """
        file = _file_of(self.load())
        changes = _read_history(file)
        change = next((each for each in changes if each.id == change_id), None)
        if change is None:
            raise LookupError(change_id)
        undone = SettingsChange(
            id=changes[-1].id + 1, at=at, person=person, before={}, after=change.before, undoes=change.id
        )
        return self._store(file, changes, change.before, undone)

    def reject(self, problem: str) -> None:
        """Revert the last change, because a start with it failed with `problem`."""
        file = _file_of(self.load())
        changes = _read_history(file)
        if not changes:
            return
        last = changes[-1]
        last.problem = problem
        _write(file, _merge(page_tables(file), last.before), changes)

    def changes(self) -> list[SettingsChange]:
        """List the changes, oldest first."""
        return _read_history(_file_of(self.load()))

    def apply(self) -> None:
        """Let the running bot apply the settings."""
        if self.changed is not None:
            self.changed.set()

    def _check(self, values: Mapping[str, JsonValue], loaded: LoadedSettings) -> None:
        problems: dict[str, ErrorDetails | str] = {}
        for key, value in values.items():
            group, name = split_key(key)
            if group not in group_names() or name not in setting_names(group):
                problems[key] = "unknown"
            elif key in FIXED_KEYS:
                problems[key] = "fixed"
            elif (origin := loaded.origins.get(key)) is not None and origin.kind == "environment":
                problems[key] = "environment"
            elif value is not None and (error := _value_error(group, name, value)) is not None:
                problems[key] = error
        if problems:
            raise SettingsInvalid(problems)

    def _read(self, tables: Tables) -> Settings:
        try:
            return read_settings(self.path, self.environment, saved=tables).settings
        except ConfigError as error:
            raise SettingsInvalid({error.key: error.problem}) from None  # the cause may quote a secret

    def _store(
        self, file: Path, changes: list[SettingsChange], values: Mapping[str, JsonValue], change: SettingsChange
    ) -> SettingsChange:
        """Write valid `values`, and the history with `change`."""
        tables = page_tables(file)
        change.before = {key: _as_json(tables.get(split_key(key)[0], {}).get(split_key(key)[1])) for key in values}
        merged = _merge(tables, values)
        self._read(merged)
        _write(file, merged, [*changes, change][-_MAX_CHANGES:])
        return change


def split_key(key: str) -> tuple[str, str]:
    """Split `platforms.telegram.token` into group and name."""
    group, _, name = key.rpartition(".")
    return group, name


def _file_of(loaded: LoadedSettings) -> Path:
    if loaded.saved is None:
        raise SettingInvalid("settings", "", "no_settings_file")
    return loaded.saved


def _read_history(file: Path) -> list[SettingsChange]:
    try:
        return msgspec.json.decode(file.with_suffix(_HISTORY_SUFFIX).read_bytes(), type=list[SettingsChange])
    except (OSError, msgspec.DecodeError):
        return []


def _write(file: Path, tables: Tables, changes: list[SettingsChange]) -> None:
    """Write the settings and the history, and delete the files of secrets that neither of them refers to."""
    _write_private(file, _HEAD + _as_toml(tables))
    history = msgspec.json.format(msgspec.json.encode(changes), indent=1).decode()
    _write_private(file.with_suffix(_HISTORY_SUFFIX), history)
    named = {str(value) for table in tables.values() for value in table.values()}
    named |= {str(value) for each in changes for value in (*each.before.values(), *each.after.values())}
    for secret in (file.parent / _PRIVATE_FOLDER).glob("*"):
        if f"file:{secret}" not in named:
            secret.unlink(missing_ok=True)


@contextmanager
def _secret_files(file: Path, values: Mapping[str, JsonValue], number: int) -> Iterator[dict[str, JsonValue]]:
    """Write each secret of `values` to a file; yield the values with its place; delete the files on an error."""
    stored, written = dict(values), []
    try:
        for key, value in values.items():
            if is_secret(*split_key(key)) and value:
                names = (file.parent / _PRIVATE_FOLDER / f"{key}.{free}" for free in count(number))
                secret = next(each for each in names if not each.exists())  # one without a change may be in use
                _write_private(secret, str(value))
                written.append(secret)
                stored[key] = f"file:{secret}"
        yield stored
    except BaseException:
        for secret in written:
            secret.unlink(missing_ok=True)
        raise


def _value_error(group: str, name: str, value: JsonValue) -> ErrorDetails | None:
    try:
        group_model(group).model_validate({name: value})
    except ValidationError as error:
        return error.errors(include_url=False)[0]
    return None


def _with_secret(settings: Settings, group: str, name: str, value: str) -> Settings:
    secret = {name: SecretStr(value)}
    platform = group.removeprefix("platforms.")
    if platform == group:
        return settings.model_copy(update={group: getattr(settings, group).model_copy(update=secret)})
    own = settings.platforms.groups.get(platform, group_model(group)()).model_copy(update=secret)
    groups = {**settings.platforms.groups, platform: own}
    return settings.model_copy(update={"platforms": settings.platforms.model_copy(update={"groups": groups})})


def _merge(tables: Tables, values: Mapping[str, JsonValue]) -> Tables:
    """Return `tables` with `values`; null removes a value."""
    merged = {group: dict(table) for group, table in tables.items()}
    for key, value in values.items():
        group, name = split_key(key)
        table = merged.setdefault(group, {})
        table.pop(name, None)
        if value is not None:
            table[name] = value
    return {group: table for group, table in merged.items() if table}


def _as_json(value: object) -> JsonValue:
    read: JsonValue = json.loads(json.dumps(value, default=str))  # TOML has dates and times too
    return read


def _as_toml(tables: Tables) -> str:
    parts = (
        "\n".join([f"\n[{group}]", *(f"{key} = {_toml_value(_as_json(value))}" for key, value in table.items())])
        for group, table in sorted(tables.items())
    )
    return "\n".join(parts) + "\n"


def _toml_value(value: JsonValue) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml_value(each) for each in value if each is not None)}]"
    if isinstance(value, dict):
        pairs = (f"{_toml_value(key)} = {_toml_value(each)}" for key, each in value.items() if each is not None)
        return f"{{ {', '.join(pairs)} }}"
    # JSON strings are valid in TOML, except for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _write_private(path: Path, text: str) -> None:
    """Write a file atomically that only the bot's user may read."""
    make_private_folder(path.parent)
    try:
        with replace_file(path) as file:
            file.write(text)
    except OSError as error:
        raise SettingInvalid("settings", "", "unwritable", place=path, why=error.strerror) from error
