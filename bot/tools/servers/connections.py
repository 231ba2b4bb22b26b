"""Read the configured tool servers from `TOOL_SERVER_CONNECTIONS` and plain addresses."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct
from pydantic import Field, JsonValue, SecretStr, ValidationError, field_validator, model_validator

from bot.config.field_errors import SettingInvalid
from bot.config.fields import Group, invalid_value
from bot.config.settings import ToolServerSettings
from bot.tools.servers.mcp.servers import MAX_LABEL_LENGTH, ConfirmMode, McpServer, OAuthSettings, label_of
from bot.tools.servers.open_webui_form import read_form, secrets_in
from function_calls.toolsets.source import Access, check_access
from services.kernel.errors import ConfigError

_KEY = "tool_servers.connections"
_PAGE_KEY = "tool_servers.page_connections"
_MCP_FIELDS = frozenset(
    {"type", "url", "path", "name", "key", "headers", "name_filter", "examples", "confirm", "timeout_seconds"}
    | {"access_control", "enabled", "oauth"}
)


class ToolServerConnection(Group):
    """One OpenAPI server, or one MCP server over streamable HTTP.

    `url` is the base address, with the document at `path`, or the address of the document. `key` is for API keys and
    bearer tokens, `username` and `client_id` with their secrets for basic authentication and OAuth 2; `oauth` is for
    MCP servers. `confirm` selects the calls that the person confirms. `examples` are sentences by the name of a tool,
    with `{argument}` slots; they also work without a model. `spec` replaces the fetched document. `name_filter` has
    endings of the names to offer or, after a `!`, to leave out.
    """

    type: Literal["openapi", "mcp"] = "openapi"
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
    oauth: OAuthSettings | None = None
    confirm: ConfirmMode = "changes"
    prefix: str = Field("", pattern=r"^[A-Za-z0-9_-]{0,24}$")
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    examples: Mapping[str, tuple[str, ...]] = {}
    timeout_seconds: float | None = Field(None, gt=0, le=86_400)
    access_control: JsonValue = None
    name_filter: tuple[str, ...] = ()
    spec: JsonValue = None
    enabled: bool = True

    @model_validator(mode="before")
    @classmethod
    def _read_form(cls, given: object) -> object:
        return read_form(given) if isinstance(given, Mapping) else given

    @model_validator(mode="after")
    def _check_mcp_fields(self) -> "ToolServerConnection":
        others = sorted(self.model_fields_set - _MCP_FIELDS)
        if self.type == "mcp" and others:
            raise invalid_value("not_with_mcp", name=others[0])
        if self.type == "openapi" and self.oauth is not None:
            raise invalid_value("only_with_mcp")
        return self

    @field_validator("access_control")
    @classmethod
    def _check_access(cls, written: JsonValue) -> JsonValue:
        check_access(written)
        return written

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:  # an address or a port that is impossible
            is_address = False
        if not is_address:
            raise invalid_value("no_address", value=url)
        return url

    @property
    def label(self) -> str:
        """Return the name of the server, in letters that a tool's name may have."""
        host = urlsplit(self.url)
        return label_of(self.name or f"{host.hostname}_{host.port or ''}", "server")

    @property
    def access(self) -> Access:
        """Return the access rule of its tools."""
        return Access.of(self.access_control)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the secrets of the connection, for masking."""
        secrets = (self.key, self.password, self.client_secret, *self.headers.values())
        return tuple(each.get_secret_value() for each in secrets if each.get_secret_value())


class RefusedConnection(Struct, frozen=True, kw_only=True):
    """An invalid entry, which is not used."""

    label: str
    problem: ConfigError
    secrets: tuple[str, ...] = ()


class ServerConnections(Struct, frozen=True, kw_only=True):
    """The servers to use, each with a unique label, and the invalid entries."""

    openapi: tuple[ToolServerConnection, ...] = ()
    mcp: tuple[McpServer, ...] = ()
    refused: tuple[RefusedConnection, ...] = ()

    @property
    def labels(self) -> frozenset[str]:
        """Return the labels that are taken."""
        return frozenset(each.label for each in self._all)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the secrets of all entries, including the invalid ones."""
        return tuple(secret for each in self._all for secret in each.secrets)

    @property
    def _all(self) -> tuple[ToolServerConnection | McpServer | RefusedConnection, ...]:
        return (*self.openapi, *self.mcp, *self.refused)


def read_connections(settings: ToolServerSettings, token_folder: Path | None = None) -> ServerConnections:
    """Read the servers of the settings; an invalid entry does not affect the others.

    `token_folder` keeps the tokens of sign-ins at MCP servers; None keeps them in memory.

    Raises:
        ConfigError: a list of connections is not a JSON list.
    """
    labels: set[str] = set()
    openapi, mcp, refused = [], [], []
    written = [
        *connection_entries(settings.connections, _KEY),
        *connection_entries(settings.page_connections, _PAGE_KEY),
    ]
    for place, entry in enumerate([*written, *({"url": url} for url in settings.urls)]):
        if _is_disabled(entry):
            continue
        try:
            connection = ToolServerConnection.model_validate(entry)
        except ValidationError as error:
            refused.append(_refusal(place, entry, error, labels))
            continue
        connection = connection.model_copy(update={"name": _unique_label(connection.label, labels)})
        if connection.type == "mcp":
            mcp.append(_mcp_server(connection, token_folder))
        else:
            openapi.append(connection)
    return ServerConnections(openapi=tuple(openapi), mcp=tuple(mcp), refused=tuple(refused))


def _unique_label(wanted: str, taken: set[str]) -> str:
    """Return `wanted`, with a number if it is one of `taken`, and add it to these."""
    label, count = wanted, 1
    while label in taken:
        count += 1
        label = f"{wanted[: MAX_LABEL_LENGTH - 4]}_{count}"
    taken.add(label)
    return label


def connection_entries(written: SecretStr, key: str) -> list[object]:
    """Return the entries of a list of connections, unchecked.

    Raises:
        ConfigError: the setting `key` is not a JSON list.
    """
    text = written.get_secret_value().strip()
    if not text:
        return []
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingInvalid("environment", key, "no_json", why=error) from None
    if not isinstance(listed, list):
        raise SettingInvalid("environment", key, "no_connections")
    return listed


def _is_disabled(entry: object) -> bool:
    """Return whether an entry is disabled; such an entry need not be valid."""
    config = entry.get("config") if isinstance(entry, Mapping) else None
    switches = [entry.get("enabled") if isinstance(entry, Mapping) else None]
    switches += [config.get("enable")] if isinstance(config, Mapping) else []
    return False in switches


def _refusal(place: int, entry: object, error: ValidationError, labels: set[str]) -> RefusedConnection:
    first = error.errors(include_url=False, include_input=False)[0]  # the input may be a secret
    where = ".".join(str(part) for part in (_KEY, place, *first["loc"]))
    info = entry.get("info") if isinstance(entry, Mapping) else None
    names = [each.get("name") for each in (entry, info) if isinstance(each, Mapping)]
    name = next((each for each in names if isinstance(each, str) and each), f"connection_{place}")
    problem = SettingInvalid("settings", where, first)
    label = _unique_label(label_of(name, "server"), labels)
    return RefusedConnection(label=label, problem=problem, secrets=secrets_in(entry))


def _mcp_server(connection: ToolServerConnection, token_folder: Path | None) -> McpServer:
    key = connection.key.get_secret_value()
    headers = dict(connection.headers)
    if key:
        headers["Authorization"] = SecretStr(f"Bearer {key}")
    return McpServer(
        name=connection.name,
        url=connection.url,
        headers=headers,
        name_filter=connection.name_filter,
        examples=connection.examples,
        confirm=connection.confirm,
        access_control=connection.access_control,
        timeout_seconds=connection.timeout_seconds,
        oauth=connection.oauth,
        token_file=None if token_folder is None else token_folder / f"{connection.label}.json",
    )
