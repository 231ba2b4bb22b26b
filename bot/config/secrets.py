"""Read secrets from a file or the system keyring.

The setting then has the place: `file:/run/secrets/openai`, or `keyring:service/name`. A place is not secret, so it may
be in `config.toml`.
"""

import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from services.kernel.errors import AssistantError

_PLACE: Final = re.compile(r"(file|keyring):(\S.*)")


class SecretPlace(Struct, frozen=True, kw_only=True):
    """The place of a secret: its kind (`file`, `keyring`) and its path or name."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class SecretMissing(AssistantError):
    """A secret cannot be read from its place; the operator must act. `code` names a message (`secret.<code>`)."""

    def __init__(self, code: str, **fields: object) -> None:
        super().__init__(code)
        self.code = code
        self.fields = fields


def place_of(value: object) -> SecretPlace | None:
    """Return the place in the value of a setting; None if it has the secret itself, or nothing."""
    found = _PLACE.fullmatch(value.strip()) if isinstance(value, str) else None
    return SecretPlace(kind=found[1], name=found[2]) if found else None


def read_secret(place: SecretPlace) -> str:
    """Read the secret at `place`.

    Raises:
        SecretMissing: the secret is missing or cannot be read.
    """
    found = read_file(place.name) if place.kind == "file" else _from_keyring(place.name)
    if not found:
        raise SecretMissing("empty", place=str(place))
    return found


def read_file(path: str) -> str:
    """Return the content of a file, without the final line end.

    Raises:
        SecretMissing: the file cannot be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise SecretMissing("file", path=path, why="no UTF-8 text") from error
    except OSError as error:
        raise SecretMissing("file", path=path, why=error.strerror or "") from error


def _from_keyring(name: str) -> str | None:
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
    except Exception as error:  # a locked keyring raises different errors on each system
        raise SecretMissing("keyring_closed", why=type(error).__name__) from error
    if found is None:
        raise SecretMissing("keyring_entry", service=service, user=user)
    return found
