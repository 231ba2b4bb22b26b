"""Settings of the XMPP platform."""

from typing import Final

from pydantic import Field, SecretStr

from bot.config.settings import Group


class XmppSettings(Group):
    """The bot's XMPP account and the rooms that it sits in."""

    jid: str = Field("", description="The bot's address, such as bubbles@example.org.")
    password: SecretStr = Field(SecretStr(""), description="Never written here: set BUBBLES_PLATFORMS__XMPP__PASSWORD.")
    nick: str = Field("", description="Name in the rooms; empty = the bot's name.")
    rooms: tuple[str, ...] = Field((), description="Rooms to join, such as team@rooms.example.org.")
    host: str = Field("", description="Server to connect to; empty = found from the address by DNS.")
    port: int = Field(5222, ge=1, le=65535, description="Port of that server.")
    encrypted: bool = Field(True, description="Insist on TLS; only a server on this machine does without.")


GROUP: Final = XmppSettings
