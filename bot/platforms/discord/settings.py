"""Settings of the Discord platform."""

from typing import Final

from pydantic import Field, SecretStr

from bot.config.settings import Group


class DiscordSettings(Group):
    """The bot's application on Discord."""

    token: SecretStr = Field(SecretStr(""), description="Never written here: set BUBBLES_PLATFORMS__DISCORD__TOKEN.")
    slash_commands: bool = Field(True, description="Offer the bot's functions as slash commands.")


GROUP: Final = DiscordSettings
