"""Mask the secrets of a tool server in everything that the server sends back."""

import base64
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote, quote_plus

from msgspec.structs import replace
from pydantic import SecretStr

from function_calls.language.messages import Message
from function_calls.tools.calls import ToolSpec
from services.call_log.secret_mask import MASK, list_maskable

_PLAIN_HEADERS: Final = frozenset({"accept", "accept-language", "accept-encoding", "content-type", "user-agent"})
_SECRET_VARIABLES: Final = ("KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL")


class EchoedSecretMask:
    """Masks secrets in plain text, percent-encoded, in base64, and without the scheme before them."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = list_maskable(form for secret in secrets for form in _encodings(secret))

    def text(self, text: str) -> str:
        """Return `text` with every secret masked."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, MASK)
        return text

    def message(self, message: Message | str) -> Message | str:
        """Return a message with secrets masked in its fields, or text with secrets masked."""
        if isinstance(message, str):
            return self.text(message)
        return Message(message.key, {name: self._mask_value(value) for name, value in message.fields.items()})

    def value(self, value: object) -> object:
        """Return a JSON value with secrets masked in its texts and keys; the same object if there are no secrets."""
        return self._mask_value(value) if self._secrets else value

    def spec(self, spec: ToolSpec) -> ToolSpec | None:
        """Return a tool with secrets masked; None if its name has one, since a masked name could not be called."""
        if not self._secrets:
            return spec
        if self.text(spec.name) != spec.name:
            return None
        parameters = self._mask_value(spec.parameters)
        return replace(
            spec,
            description=self.text(spec.description),
            parameters=parameters if isinstance(parameters, Mapping) else {},
        )

    def _mask_value(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._mask_value(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self._mask_value(each) for each in value]
        return value


def header_secrets(headers: Mapping[str, SecretStr]) -> Iterable[str]:
    """Return the values of headers that may hold a secret, so not of `Accept`."""
    return (value.get_secret_value() for name, value in headers.items() if name.lower() not in _PLAIN_HEADERS)


def variable_secrets(environment: Mapping[str, SecretStr]) -> Iterable[str]:
    """Return the values of variables with a name such as TOKEN, and addresses with a password."""
    values = {name.upper(): value.get_secret_value() for name, value in environment.items()}
    return (
        value
        for name, value in values.items()
        if any(mark in name for mark in _SECRET_VARIABLES) or ("://" in value and "@" in value)
    )


def basic_pair(username: str, password: str) -> str:
    """Return the encoded credentials of HTTP basic authentication."""
    return base64.b64encode(f"{username}:{password}".encode()).decode()


def _encodings(secret: str) -> Iterable[str]:
    plain = secret.strip()
    parts = plain.split()
    for each in {plain, parts[-1] if parts else ""}:
        yield each
        yield quote(each, safe="")
        yield quote_plus(each)
        yield base64.b64encode(each.encode()).decode().rstrip("=")
