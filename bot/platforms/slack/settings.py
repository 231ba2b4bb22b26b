"""Settings of the Slack platform."""

from typing import Final, Literal

from pydantic import Field, SecretStr

from bot.config.settings import Group

PATH: Final = "/slack/events"
"""Where the bot listens in http mode."""


class SlackSettings(Group):
    """The bot's app in a Slack workspace."""

    mode: Literal["socket", "http"] = Field(
        "socket", description="How Slack reaches the bot: socket (needs an app token), or http (a signing secret)."
    )
    bot_token: SecretStr = Field(
        SecretStr(""), description="Begins with xoxb-; set BUBBLES_PLATFORMS__SLACK__BOT_TOKEN."
    )
    app_token: SecretStr = Field(
        SecretStr(""), description="Begins with xapp-; set BUBBLES_PLATFORMS__SLACK__APP_TOKEN."
    )
    signing_secret: SecretStr = Field(
        SecretStr(""), description="Signs what Slack sends by http; set BUBBLES_PLATFORMS__SLACK__SIGNING_SECRET."
    )
    api_url: str = Field("https://slack.com/api/", description="Address of Slack's Web API.")
    http_host: str = Field("127.0.0.1", description="Address to listen on in http mode, behind your proxy.")
    http_port: int = Field(
        3000, ge=0, le=65535, description="Port to listen on in http mode; the path is /slack/events."
    )


GROUP: Final = SlackSettings
