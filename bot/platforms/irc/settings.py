"""Settings of the IRC platform."""

from typing import Final

from pydantic import Field, SecretStr

from bot.config.settings import Group


class IrcSettings(Group):
    """The bot's place on an IRC network."""

    host: str = Field("", description="Server, such as irc.libera.chat.")
    port: int = Field(6697, ge=1, le=65535, description="Port; 6697 is the usual one with TLS, 6667 without.")
    encrypted: bool = Field(True, description="Connect with TLS.")
    nick: str = Field("", max_length=30, description="Nickname; empty = the bot's name.")
    channels: tuple[str, ...] = Field((), description="Channels to join, such as #team.")
    server_password: SecretStr = Field(
        SecretStr(""), description="For servers that ask for one: set BUBBLES_PLATFORMS__IRC__SERVER_PASSWORD."
    )
    account: str = Field("", description="Registered account to log in to; empty = the nickname.")
    account_password: SecretStr = Field(
        SecretStr(""), description="Password of the account: set BUBBLES_PLATFORMS__IRC__ACCOUNT_PASSWORD."
    )
    login: tuple[str, ...] = Field(
        ("sasl", "nickserv"), description="How to log in, in this order of preference: sasl, nickserv."
    )
    burst: int = Field(5, ge=1, description="Lines that may be sent at once before the pace begins.")
    seconds_per_line: float = Field(2.0, ge=0, description="Seconds between lines after that; servers cut off floods.")


GROUP: Final = IrcSettings
