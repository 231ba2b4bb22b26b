"""Settings of the DingTalk platform."""

from typing import Final

from pydantic import Field, SecretStr

from bot.config.settings import Group


class DingTalkSettings(Group):
    """The bot's robot in DingTalk, in Stream mode."""

    client_id: str = Field("", description="Client ID (AppKey) of the app.")
    client_secret: SecretStr = Field(
        SecretStr(""), description="Never written here: set BUBBLES_PLATFORMS__DINGTALK__CLIENT_SECRET."
    )
    robot_code: str = Field("", description="Robot code; empty = the client ID, as for apps made since 2023.")
    api_url: str = Field("https://api.dingtalk.com", description="Address of DingTalk's API.")
    media_url: str = Field(
        "https://oapi.dingtalk.com", description="Address of DingTalk's older API, which takes files."
    )


GROUP: Final = DingTalkSettings
