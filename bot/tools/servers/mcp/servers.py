"""Read MCP servers from a file in the common form of MCP clients, `{"mcpServers": {name: …}}`."""

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, ValidationError, model_validator

from bot.config.field_errors import SettingInvalid
from bot.tools.servers.echoed_secrets import EchoedSecretMask, header_secrets, variable_secrets
from function_calls.toolsets.source import Access

_KEY = "tool_servers.mcp_file"
_REQUEST_SECONDS = 60.0
MAX_LABEL_LENGTH = 24

ConfirmMode = Literal["changes", "always", "never"]
"""The calls of a server that the person confirms: those that change something, all, or none."""


def needs_confirmation(mode: ConfirmMode, *, changes_state: bool) -> bool:
    """Return whether the person confirms the calls of a tool."""
    return mode == "always" or (mode == "changes" and changes_state)


class OAuthSettings(BaseModel):
    """The authorization at a remote server: client credentials, or a sign-in of the operator.

    A sign-in registers a client, or with `grant_type` authorization_code uses a registered one. Credentials are sent to
    the authorization server `issuer` only. A sign-in is redirected to `redirect_port` of this machine.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    grant_type: Literal["client_credentials", "authorization_code"] = "client_credentials"
    client_id: str = ""
    client_secret: SecretStr = SecretStr("")
    issuer: str = Field("", pattern=r"^(https?://.+)?$")
    scope: str = ""
    redirect_port: int = Field(8767, gt=0, lt=65536)

    @model_validator(mode="after")
    def _has_whole_credentials(self) -> "OAuthSettings":
        has_secret = bool(self.client_secret.get_secret_value())
        if self.grant_type == "authorization_code":
            if has_secret and not self.client_id:
                raise ValueError("client_secret needs client_id")
        elif len({bool(self.client_id), has_secret, bool(self.issuer)}) > 1:
            raise ValueError("client credentials are client_id, client_secret and issuer together")
        return self

    @property
    def needs_sign_in(self) -> bool:
        """Return whether the operator has to sign in."""
        return self.grant_type == "authorization_code" or not self.client_id


class McpServer(BaseModel):
    """One server: a `command` to run, or a `url`.

    `allow` names the offered tools (`prompt_NAME` for prompts); None allows all. `name_filter` restricts them as
    Open WebUI's `function_name_filter_list` does. `confirm` selects the calls that the person confirms. `examples` are
    sentences by the name of a tool, with `{argument}` slots. `token_file` has the tokens of a sign-in. A call may take
    `timeout_seconds`, also as a task; None leaves the limit to the router.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")  # the file also has keys of other clients

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, SecretStr] = {}
    cwd: Path | None = None
    url: str = Field("", pattern=r"^(https?://.+)?$")
    headers: Mapping[str, SecretStr] = {}
    oauth: OAuthSettings | None = None
    token_file: Path | None = Field(None, exclude=True)
    allow: tuple[str, ...] | None = None
    name_filter: tuple[str, ...] = ()
    examples: Mapping[str, tuple[str, ...]] = {}
    confirm: ConfirmMode = "changes"
    access_control: JsonValue = None
    timeout_seconds: float | None = Field(None, gt=0, le=86_400)
    disabled: bool = False

    @model_validator(mode="after")
    def _has_one_transport(self) -> "McpServer":
        if bool(self.command) == bool(self.url):
            raise ValueError("an MCP server has either a command or a url")
        if self.oauth is not None and not self.url:
            raise ValueError("oauth is for servers with a url")
        return self

    @property
    def request_seconds(self) -> float:
        """Return the seconds that one request may take."""
        return self.timeout_seconds or _REQUEST_SECONDS

    @property
    def sent_headers(self) -> dict[str, str]:
        """Return the headers of requests, secrets in plain text."""
        return {name: value.get_secret_value() for name, value in self.headers.items()}

    @property
    def label(self) -> str:
        """Return the name in letters that a tool's name may have."""
        return label_of(self.name, "mcp")

    def allows(self, name: str) -> bool:
        """Return whether the settings allow the tool or prompt of this name."""
        return (self.allow is None or name in self.allow) and passes_filter((name,), self.name_filter)

    @property
    def access(self) -> Access:
        """Return the access rule of its tools."""
        return Access.of(self.access_control)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return all values that may be secret, for masking."""
        own = () if self.oauth is None else (self.oauth.client_secret,)
        secrets = (*self.env.values(), *self.headers.values(), *own)
        return tuple(each.get_secret_value() for each in secrets if each.get_secret_value())

    def secret_mask(self, tokens: Collection[str] = ()) -> EchoedSecretMask:
        """Return a mask for `tokens` and for what may be secret, not for plain settings such as a time zone."""
        own = () if self.oauth is None else (self.oauth.client_secret.get_secret_value(),)
        return EchoedSecretMask((*variable_secrets(self.env), *header_secrets(self.headers), *own, *tokens))


def label_of(name: str, default: str) -> str:
    """Return `name` in letters that a tool's name may have."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:MAX_LABEL_LENGTH] or default


def passes_filter(names: Collection[str], entries: Collection[str]) -> bool:
    """Return whether Open WebUI's `function_name_filter_list` selects a tool of these names.

    An entry is the ending of a name to offer or, after a `!`, to leave out. Without entries to offer, all are offered.
    """
    wanted = [each for each in entries if not each.startswith("!")]
    unwanted = [each[1:].strip() for each in entries if each.startswith("!")]
    if wanted and not _ends_with_any(names, wanted):
        return False
    return not _ends_with_any(names, unwanted)


def _ends_with_any(names: Collection[str], ends: Collection[str]) -> bool:
    return any(name.endswith(tuple(ends)) for name in names)


def read_mcp_servers(path: str) -> tuple[McpServer, ...]:
    """Read the enabled servers from the file at `path`; none if it is empty.

    Raises:
        ConfigError: the file cannot be read or has another form.
    """
    if not path:
        return ()
    try:
        written = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingInvalid(path, _KEY, "unreadable", why=error.strerror) from error
    except ValueError as error:
        raise SettingInvalid(path, _KEY, "no_json", why=error) from None
    listed = written.get("mcpServers") if isinstance(written, dict) else None
    if not isinstance(listed, dict):
        raise SettingInvalid(path, _KEY, "no_servers")
    found = [_server(path, str(name), entry) for name, entry in listed.items()]
    return tuple(each for each in found if not each.disabled)


def _server(path: str, name: str, entry: object) -> McpServer:
    try:
        server = McpServer.model_validate({**entry, "name": name} if isinstance(entry, dict) else entry)
        return server.model_copy(update={"token_file": Path(path).parent / "mcp-tokens" / f"{server.label}.json"})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in ("mcpServers", name, *first["loc"]))
        raise SettingInvalid(path, where, first) from None  # the cause may quote a secret
