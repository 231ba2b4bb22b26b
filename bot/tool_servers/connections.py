"""Which tool servers there are, as operators write it: `TOOL_SERVER_CONNECTIONS` and plain addresses."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, JsonValue, SecretStr, TypeAdapter, ValidationError, field_validator, model_validator

from bot.settings import Group, ToolServerSettings
from function_calls.toolsets.access import Access
from services.errors import ConfigError

_KEY = "tool_servers.connections"
_ELSEWHERE = (
    "info",
    "type",
    "spec_type",
    "spec",
    "config",
    "auth_type",
    "id",
)  # Open WebUI's, read below or not needed


class ToolServerConnection(Group):
    """One OpenAPI server.

    `url` is its base address or that of its document (`path` within it otherwise). `key` answers for API keys and
    bearer tokens, the others for the schemes they name. `confirm` says which calls the person is asked about first.
    `examples` are sentences that mean a tool, by its name, with `{argument}` slots; they work without a model too.
    """

    url: str
    path: str = ""
    name: str = ""
    key: SecretStr = SecretStr("")
    headers: Mapping[str, SecretStr] = {}
    username: str = ""
    password: SecretStr = SecretStr("")
    client_id: str = ""
    client_secret: SecretStr = SecretStr("")
    token_url: str = ""
    scopes: tuple[str, ...] = ()
    confirm: Literal["changes", "always", "never"] = "changes"
    prefix: str = Field("", pattern=r"^[A-Za-z0-9_-]{0,24}$")
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    examples: Mapping[str, tuple[str, ...]] = {}
    timeout_seconds: float | None = Field(None, gt=0, le=600)
    access_control: JsonValue = None
    enabled: bool = True

    @model_validator(mode="before")
    @classmethod
    def _from_elsewhere(cls, given: object) -> object:
        """Connections that were written for Open WebUI: what they say in other words is read too."""
        if not isinstance(given, Mapping):
            return given
        config, info = given.get("config"), given.get("info")
        own: dict[object, object] = {key: value for key, value in given.items() if key not in _ELSEWHERE}
        if isinstance(config, Mapping):
            own.setdefault("enabled", config.get("enable", True))
            own.setdefault("access_control", config.get("access_control"))
        if isinstance(info, Mapping) and info.get("name"):
            own.setdefault("name", str(info["name"]))
        return own

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("a tool server has an address that begins with http:// or https://")
        return url

    @property
    def label(self) -> str:
        """What the server is called, in letters that a tool's name may have."""
        host = urlsplit(self.url)
        named = self.name or f"{host.hostname}_{host.port or ''}"
        return re.sub(r"[^A-Za-z0-9_-]+", "_", named).strip("_")[:24] or "server"

    @property
    def access(self) -> Access:
        """Who may use it."""
        return Access.of(self.access_control)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown."""
        kept = (self.key, self.password, self.client_secret, *self.headers.values())
        return tuple(each.get_secret_value() for each in kept if each.get_secret_value())


def connections(settings: ToolServerSettings) -> tuple[ToolServerConnection, ...]:
    """The servers to use, each with a label of its own.

    Raises:
        ConfigError: the JSON cannot be read as connections.
    """
    written = settings.connections.get_secret_value().strip()
    if not written and not settings.urls:
        return ()
    reader = TypeAdapter(tuple[ToolServerConnection, ...])
    try:
        listed = reader.validate_python(_parsed(written)) if written else ()
        plain = reader.validate_python([{"url": url} for url in settings.urls])
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError("settings", f"{_KEY}.{where}", first["msg"]) from None  # the cause may quote a secret
    return tuple(_labelled(each for each in (*listed, *plain) if each.enabled))


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ConfigError("environment", _KEY, f"is not JSON: {error}") from None


def _labelled(found: Iterable[ToolServerConnection]) -> Iterable[ToolServerConnection]:
    taken: set[str] = set()
    for each in found:
        label, count = each.label, 1
        while label in taken:
            count += 1
            label = f"{each.label[:20]}_{count}"
        taken.add(label)
        yield each.model_copy(update={"name": label})
