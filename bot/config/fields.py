"""Define the field types of settings: secrets, addresses, keys, people and chats, and groups of fields."""

import re
from typing import Annotated, Any, Final, LiteralString

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StringConstraints
from pydantic_core import PydanticCustomError

from function_calls.language.messages import FALLBACK, say


class Group(BaseModel):
    """A table of `config.toml`; unknown keys are errors, and numbers are finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, allow_inf_nan=False)


def secret(description: str) -> Any:
    """Return the field of a secret, empty by default."""
    return Field(default=SecretStr(""), description=description)


def invalid_value(kind: LiteralString, **fields: object) -> PydanticCustomError:
    """Return the error of a value, with the message `field.<kind>`."""
    return PydanticCustomError(kind, say(FALLBACK, f"field.{kind}", **fields), fields)


HEADER_VALUE: Final = r"^[ -~]*$"
"""The values of HTTP headers: printable ASCII."""

Origin = Annotated[str, StringConstraints(pattern=r"^https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]{1,5})?$")]
"""Scheme, host and port of a site, as in the header Origin."""


def _check_place(value: str) -> str:
    platform, _, rest = value.partition(":")
    if not platform.strip() or not rest.strip():
        raise invalid_value("no_place", value=value)
    return value


def _check_web_address(value: str) -> str:
    if value and not value.startswith(("http://", "https://")):
        raise invalid_value("no_address", value=value)
    return value


def _check_api_key(value: SecretStr) -> SecretStr:
    if not re.fullmatch(HEADER_VALUE, value.get_secret_value()):
        raise invalid_value("no_key")
    return value


Place = Annotated[str, AfterValidator(_check_place)]
"""A person or a chat, as platform:id; other forms are refused, since they would match nobody."""

WebAddress = Annotated[str, AfterValidator(_check_web_address)]
"""The address of a server, or empty."""

ApiKey = Annotated[SecretStr, AfterValidator(_check_api_key)]
"""A key that is sent in an HTTP header."""
