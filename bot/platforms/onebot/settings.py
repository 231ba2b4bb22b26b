"""Settings of the OneBot platform."""

from typing import Final, Literal

from pydantic import Field, SecretStr

from bot.config.settings import Group


class OneBotSettings(Group):
    """A QQ client that speaks OneBot v11, such as NapCat or Lagrange."""

    mode: Literal["reverse", "forward", "http"] = Field(
        "reverse",
        description="reverse: the client connects to the bot; forward: the bot to the client; http: both post.",
    )
    host: str = Field("127.0.0.1", description="Address to listen on, in the modes reverse and http.")
    port: int = Field(
        8080, ge=0, le=65535, description="Port to listen on; the paths are /onebot/v11/ws and /onebot/v11/."
    )
    url: str = Field("", description="Address of the client: ws://… for forward, http://… for http.")
    token: SecretStr = Field(SecretStr(""), description="Access token: set BUBBLES_PLATFORMS__ONEBOT__TOKEN.")
    secret: SecretStr = Field(
        SecretStr(""), description="Signs what the client posts by http: set BUBBLES_PLATFORMS__ONEBOT__SECRET."
    )


GROUP: Final = OneBotSettings
