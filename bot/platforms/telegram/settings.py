"""Settings of the Telegram platform."""

from typing import Final

from pydantic import Field, SecretStr

from bot.config.settings import Group


class TelegramSettings(Group):
    """The bot's account on Telegram, made by talking to @BotFather."""

    token: SecretStr = Field(SecretStr(""), description="Never written here: set BUBBLES_PLATFORMS__TELEGRAM__TOKEN.")
    api_url: str = Field("https://api.telegram.org", description="Address of the Bot API; a local server has its own.")
    poll_seconds: int = Field(30, ge=1, le=50, description="Seconds that one long poll waits for messages.")
    webhook_url: str = Field("", description="Public https address that Telegram calls; empty = long polling.")
    webhook_host: str = Field("127.0.0.1", description="Address to listen on for the webhook, behind your proxy.")
    webhook_port: int = Field(8443, ge=0, le=65535, description="Port to listen on for the webhook.")
    webhook_secret: SecretStr = Field(
        SecretStr(""), description="Proves that it is Telegram: set BUBBLES_PLATFORMS__TELEGRAM__WEBHOOK_SECRET."
    )


GROUP: Final = TelegramSettings
