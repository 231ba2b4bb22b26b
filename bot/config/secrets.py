"""Read secrets from a file or the system keyring, and list those of the settings.

The setting then has the place: `file:/run/secrets/openai`, or `keyring:service/name`. A place is not secret, so it may
be in `config.toml`.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct
from pydantic import SecretStr

from bot.config.field_errors import SettingInvalid
from bot.config.fields import Group
from bot.config.settings import Settings

_PLACE: Final = re.compile(r"(file|keyring):(\S.*)")
_PASSWORD: Final = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")


class SecretPlace(Struct, frozen=True, kw_only=True):
    """The place of a secret: its kind (`file`, `keyring`) and its path or name."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def place_of(value: object) -> SecretPlace | None:
    """Return the place in the value of a setting; None if it has the secret itself, or nothing."""
    found = _PLACE.fullmatch(value.strip()) if isinstance(value, str) else None
    return SecretPlace(kind=found[1], name=found[2]) if found else None


def read_secret(place: SecretPlace, key: str) -> str:
    """Read the secret of the setting `key` at `place`.

    Raises:
        SettingInvalid: the secret is missing or cannot be read.
    """
    found = read_file(place.name, key) if place.kind == "file" else _from_keyring(place.name, key)
    if not found:
        raise _missing(key, "empty", place=str(place))
    return found


def read_file(path: str, key: str) -> str:
    """Return the content of a file with the value of the setting `key`, without the final line end.

    Raises:
        SettingInvalid: the file cannot be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise _missing(key, "file", path=path, why="no UTF-8 text") from error
    except OSError as error:
        raise _missing(key, "file", path=path, why=error.strerror or "") from error


def _from_keyring(name: str, key: str) -> str | None:
    service, _, user = name.rpartition("/")
    if not service or not user:
        raise _missing(key, "keyring_name", name=name)
    try:
        import keyring
        from keyring.errors import NoKeyringError
    except ImportError as error:
        raise _missing(key, "keyring_library", missing=error.name) from error
    try:
        found = keyring.get_password(service, user)
    except NoKeyringError as error:
        raise _missing(key, "keyring_none") from error
    except Exception as error:  # a locked keyring raises different errors on each system
        raise _missing(key, "keyring_closed", why=type(error).__name__) from error
    if found is None:
        raise _missing(key, "keyring_entry", service=service, user=user)
    return found


def _missing(key: str, code: str, **fields: object) -> SettingInvalid:
    return SettingInvalid("settings", key, f"secret.{code}", **fields)


def secret_values(settings: Settings) -> tuple[str, ...]:
    """Return all secrets that are set, for masking them in logs."""
    groups: list[Group] = [getattr(settings, name) for name in Settings.model_fields]
    groups += settings.platforms.groups.values()
    values = [getattr(group, key) for group in groups for key in type(group).model_fields]
    keys = (value.get_secret_value() for value in values if isinstance(value, SecretStr))
    return (*(key for key in keys if key), *_passwords(values))


def _passwords(values: Iterable[object]) -> Iterator[str]:
    """Yield the passwords in addresses, such as that of the database."""
    for value in values:
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str):
                yield from _PASSWORD.findall(text)
