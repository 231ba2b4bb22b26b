"""Read secrets that a setting refers to from a file or from the system keyring.

A setting then holds the place: `file:/run/secrets/openai`, or `keyring:service/name`. A place is no secret, so it may
stand in `config.toml` too.
"""

import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from services.kernel.errors import AssistantError

_PLACE: Final = re.compile(r"(file|keyring):(\S.*)")


class SecretPlace(Struct, frozen=True, kw_only=True):
    """A place: its kind (`file`, `keyring`) and its name there."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class SecretMissing(AssistantError):
    """A secret is not where the settings say: the operator must act. `code` names a sentence under `secret.`."""

    def __init__(self, code: str, **fields: object) -> None:
        super().__init__(code)
        self.code = code
        self.fields = fields


def place_of(value: object) -> SecretPlace | None:
    """Return the place that a setting names; None where it holds the secret itself, or nothing."""
    found = _PLACE.fullmatch(value.strip()) if isinstance(value, str) else None
    return SecretPlace(kind=found[1], name=found[2]) if found else None


def read_secret(place: SecretPlace) -> str:
    """Return the secret that is kept at `place`.

    Raises:
        SecretMissing: it is not there, or cannot be read; the error says what to do.
    """
    found = read_file(place.name) if place.kind == "file" else _from_keyring(place.name)
    if not found:
        raise SecretMissing("empty", place=str(place))
    return found


def read_file(path: str) -> str:
    """Return the content of a file, without the line end that editors leave.

    Raises:
        SecretMissing: it cannot be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise SecretMissing("file", path=path, why="no UTF-8 text") from error
    except OSError as error:
        raise SecretMissing("file", path=path, why=error.strerror or "") from error


def _from_keyring(name: str) -> str | None:
    """Return an entry of the keyring; the library is loaded only where a setting asks for it."""
    service, _, user = name.rpartition("/")
    if not service or not user:
        raise SecretMissing("keyring_name", name=name)
    try:
        import keyring
        from keyring.errors import NoKeyringError
    except ImportError as error:
        raise SecretMissing("keyring_library", missing=error.name) from error
    try:
        found = keyring.get_password(service, user)
    except NoKeyringError as error:
        raise SecretMissing("keyring_none") from error
    except Exception as error:  # a keyring raises what its system raises when it is locked or silent
        raise SecretMissing("keyring_closed", why=type(error).__name__) from error
    if found is None:
        raise SecretMissing("keyring_entry", service=service, user=user)
    return found
