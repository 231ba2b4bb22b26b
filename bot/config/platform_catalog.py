"""Define the settings of each platform, and list the platforms."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field, SecretStr, StringConstraints

from bot.config.fields import Group, secret
from bot.config.settings import Settings

PAGE: Final = "web"
"""The name of the web page's platform in addresses."""

EVENTS_PATH: Final = "/slack/events"
"""The path for Slack's events in http mode."""


class DingTalkSettings(Group):
    """The bot's robot in DingTalk, in Stream mode."""

    client_id: str = Field(default="", description="Client ID (AppKey) of the app.")
    client_secret: SecretStr = secret("Never written here: set BUBBLES_PLATFORMS__DINGTALK__CLIENT_SECRET.")
    robot_code: str = Field(default="", description="Robot code; empty = the client ID, as for apps made since 2023.")
    api_url: str = Field(default="https://api.dingtalk.com", description="Address of DingTalk's API.")
    media_url: str = Field(
        default="https://oapi.dingtalk.com", description="Address of DingTalk's older API, which takes files."
    )


class DiscordSettings(Group):
    """The bot's application on Discord."""

    token: SecretStr = secret("Never written here: set BUBBLES_PLATFORMS__DISCORD__TOKEN.")
    slash_commands: bool = Field(default=True, description="Offer the bot's functions as slash commands.")


class FeishuSettings(Group):
    """The bot's app in Feishu (or, outside China, Lark)."""

    app_id: str = Field(default="", description="App ID, which begins with cli_.")
    app_secret: SecretStr = secret("Never written here: set BUBBLES_PLATFORMS__FEISHU__APP_SECRET.")
    domain: str = Field(
        default="https://open.feishu.cn",
        description="Open platform: https://open.feishu.cn, or https://open.larksuite.com.",
    )
    buttons: bool = Field(
        default=True, description="Offer buttons; they need the callback card.action.trigger over the long connection."
    )


class IrcSettings(Group):
    """The bot's connection to an IRC network."""

    host: str = Field(default="", description="Server, such as irc.libera.chat.")
    port: int = Field(default=6697, ge=1, le=65535, description="Port; 6697 is the usual one with TLS, 6667 without.")
    encrypted: bool = Field(default=True, description="Connect with TLS.")
    nick: str = Field(default="", max_length=30, description="Nickname; empty = the bot's name.")
    channels: tuple[str, ...] = Field(default=(), description="Channels to join, such as #team.")
    server_password: SecretStr = secret("For servers that ask for one: set BUBBLES_PLATFORMS__IRC__SERVER_PASSWORD.")
    account: str = Field(default="", description="Registered account to log in to; empty = the nickname.")
    account_password: SecretStr = secret("Password of the account: set BUBBLES_PLATFORMS__IRC__ACCOUNT_PASSWORD.")
    login: tuple[str, ...] = Field(
        default=("sasl", "nickserv"), description="How to log in, in this order of preference: sasl, nickserv."
    )
    burst: int = Field(default=5, ge=1, description="Lines that may be sent at once before the pace begins.")
    seconds_per_line: float = Field(
        default=2.0, ge=0, description="Seconds between lines after that; servers cut off floods."
    )


class MatrixSettings(Group):
    """The bot's account on a Matrix homeserver."""

    homeserver: str = Field(default="", description="Address of the homeserver, such as https://matrix.example.org.")
    user: str = Field(default="", description="The bot's Matrix ID, such as @bubbles:example.org.")
    password: SecretStr = secret("Never written here: set BUBBLES_PLATFORMS__MATRIX__PASSWORD.")
    access_token: SecretStr = secret("Instead of a password: set BUBBLES_PLATFORMS__MATRIX__ACCESS_TOKEN.")
    invites: Literal["everyone", "listed", "nobody"] = Field(
        default="listed", description="Whose invitations to rooms the bot accepts: everyone, listed (below), or nobody."
    )
    inviters: tuple[str, ...] = Field(
        default=(), description="Matrix IDs, or whole servers as *:example.org, that may invite."
    )
    poll_seconds: int = Field(default=30, ge=1, le=50, description="Seconds that one round of syncing waits for news.")


class OneBotSettings(Group):
    """A QQ client that speaks OneBot v11, such as NapCat or Lagrange."""

    mode: Literal["reverse", "forward", "http"] = Field(
        default="reverse",
        description="reverse: the client connects to the bot; forward: the bot to the client; http: both post.",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on, in the modes reverse and http.")
    port: int = Field(
        default=8080, ge=0, le=65535, description="Port to listen on; the paths are /onebot/v11/ws and /onebot/v11/."
    )
    url: str = Field(default="", description="Address of the client: ws://… for forward, http://… for http.")
    token: SecretStr = secret("Access token: set BUBBLES_PLATFORMS__ONEBOT__TOKEN.")
    secret: SecretStr = secret("Signs what the client posts by http: set BUBBLES_PLATFORMS__ONEBOT__SECRET.")


class SlackSettings(Group):
    """The bot's app in a Slack workspace."""

    mode: Literal["socket", "http"] = Field(
        default="socket",
        description="How Slack reaches the bot: socket (needs an app token), or http (a signing secret).",
    )
    bot_token: SecretStr = secret("Begins with xoxb-; set BUBBLES_PLATFORMS__SLACK__BOT_TOKEN.")
    app_token: SecretStr = secret("Begins with xapp-; set BUBBLES_PLATFORMS__SLACK__APP_TOKEN.")
    signing_secret: SecretStr = secret("Signs what Slack sends by http; set BUBBLES_PLATFORMS__SLACK__SIGNING_SECRET.")
    api_url: str = Field(default="https://slack.com/api/", description="Address of Slack's Web API.")
    http_host: str = Field(default="127.0.0.1", description="Address to listen on in http mode, behind your proxy.")
    http_port: int = Field(
        default=3000, ge=0, le=65535, description="Port to listen on in http mode; the path is /slack/events."
    )


class TelegramSettings(Group):
    """The bot's account on Telegram, made by talking to @BotFather."""

    token: SecretStr = secret("Never written here: set BUBBLES_PLATFORMS__TELEGRAM__TOKEN.")
    api_url: str = Field(
        default="https://api.telegram.org", description="Address of the Bot API; a local server has its own."
    )
    poll_seconds: int = Field(default=30, ge=1, le=50, description="Seconds that one long poll waits for messages.")
    webhook_url: str = Field(default="", description="Public https address that Telegram calls; empty = long polling.")
    webhook_host: str = Field(
        default="127.0.0.1", description="Address to listen on for the webhook, behind your proxy."
    )
    webhook_port: int = Field(default=8443, ge=0, le=65535, description="Port to listen on for the webhook.")
    webhook_secret: SecretStr = secret("Proves that it is Telegram: set BUBBLES_PLATFORMS__TELEGRAM__WEBHOOK_SECRET.")


class XmppSettings(Group):
    """The bot's XMPP account, and the rooms that it joins."""

    jid: str = Field(default="", description="The bot's address, such as bubbles@example.org.")
    password: SecretStr = secret("Never written here: set BUBBLES_PLATFORMS__XMPP__PASSWORD.")
    nick: str = Field(default="", description="Name in the rooms; empty = the bot's name.")
    rooms: tuple[Annotated[str, StringConstraints(to_lower=True)], ...] = Field(
        default=(), description="Rooms to join, such as team@rooms.example.org."
    )
    host: str = Field(default="", description="Server to connect to; empty = found from the address by DNS.")
    port: int = Field(default=5222, ge=1, le=65535, description="Port of that server.")
    encrypted: bool = Field(default=True, description="Insist on TLS; only a server on this machine does without.")


GROUPS: Final[Mapping[str, type[Group]]] = {
    "matrix": MatrixSettings,
    "xmpp": XmppSettings,
    "irc": IrcSettings,
    "telegram": TelegramSettings,
    "onebot": OneBotSettings,
    "discord": DiscordSettings,
    "slack": SlackSettings,
    "dingtalk": DingTalkSettings,
    "feishu": FeishuSettings,
}
"""The settings model of each platform; an extra of the same name installs its library."""

NAMES: Final = ("console", *GROUPS)
"""Every platform that `platforms.enabled` may name."""


def platform_names(settings: Settings) -> tuple[str, ...]:
    """Return the names of the enabled platforms, with that of the page."""
    return (*dict.fromkeys(settings.platforms.enabled), *((PAGE,) if settings.http.enabled else ()))
