"""Settings of the Matrix platform."""

from typing import Final, Literal

from pydantic import Field, SecretStr

from bot.config.settings import Group


class MatrixSettings(Group):
    """The bot's account on a Matrix homeserver."""

    homeserver: str = Field("", description="Address of the homeserver, such as https://matrix.example.org.")
    user: str = Field("", description="The bot's Matrix ID, such as @bubbles:example.org.")
    password: SecretStr = Field(
        SecretStr(""), description="Never written here: set BUBBLES_PLATFORMS__MATRIX__PASSWORD."
    )
    access_token: SecretStr = Field(
        SecretStr(""), description="Instead of a password: set BUBBLES_PLATFORMS__MATRIX__ACCESS_TOKEN."
    )
    invites: Literal["everyone", "listed", "nobody"] = Field(
        "listed", description="Whose invitations to rooms the bot accepts: everyone, listed (below), or nobody."
    )
    inviters: tuple[str, ...] = Field((), description="Matrix IDs, or whole servers as *:example.org, that may invite.")
    poll_seconds: int = Field(30, ge=1, le=50, description="Seconds that one round of syncing waits for news.")


GROUP: Final = MatrixSettings
