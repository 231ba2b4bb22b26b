"""Settings of the Feishu platform."""

from typing import Final

from pydantic import Field, SecretStr

from bot.config.settings import Group


class FeishuSettings(Group):
    """The bot's app in Feishu (or, outside China, Lark)."""

    app_id: str = Field("", description="App ID, which begins with cli_.")
    app_secret: SecretStr = Field(
        SecretStr(""), description="Never written here: set BUBBLES_PLATFORMS__FEISHU__APP_SECRET."
    )
    domain: str = Field(
        "https://open.feishu.cn", description="Open platform: https://open.feishu.cn, or https://open.larksuite.com."
    )
    buttons: bool = Field(
        True, description="Offer buttons; they need the callback card.action.trigger over the long connection."
    )


GROUP: Final = FeishuSettings
