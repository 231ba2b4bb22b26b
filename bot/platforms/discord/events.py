"""Models of Discord's gateway events, as far as Bubbles reads them.

Source: https://discord.com/developers/docs/events/gateway-events
"""

from collections.abc import Mapping
from datetime import datetime

from bot.platforms.kit.events import Form


class Member(Form):
    """A person as a member of a guild. `permissions` come with interactions only."""

    nick: str | None = None
    roles: tuple[str, ...] = ()
    permissions: str = "0"
    user: "User | None" = None


class User(Form):
    """An account; `member` comes with mentions."""

    id: str
    username: str = ""
    global_name: str | None = None
    bot: bool = False
    member: Member | None = None

    def name_in(self, member: Member | None) -> str:
        """Return what people see: the name in the guild, else the chosen one, else the account's."""
        return (member.nick if member else None) or self.global_name or self.username or self.id


class Reference(Form):
    """The message that is replied to."""

    message_id: str | None = None


class File(Form):
    """An attached file."""

    filename: str = ""
    content_type: str = ""
    url: str | None = None


class Message(Form):
    """A message, as it is created or (with much of it missing) updated."""

    id: str
    channel_id: str
    guild_id: str | None = None
    author: User | None = None
    member: Member | None = None
    content: str = ""
    timestamp: datetime | None = None
    edited_timestamp: datetime | None = None
    mentions: tuple[User, ...] = ()
    attachments: tuple[File, ...] = ()
    message_reference: Reference | None = None
    referenced_message: "Message | None" = None
    webhook_id: str | None = None
    type: int = 0


class Deleted(Form):
    """A message that is gone, or several, which a moderator has deleted at once."""

    id: str = ""
    ids: tuple[str, ...] = ()
    channel_id: str


class Emoji(Form):
    """An emoji: its character, or the name of one that a guild drew."""

    name: str | None = None


class ReactionChange(Form):
    """Somebody put an emoji under a message, or took it back; `member` comes only with the first, and in guilds."""

    user_id: str
    channel_id: str
    message_id: str
    emoji: Emoji = Emoji()
    member: Member | None = None


class Option(Form):
    """A filled-in option of a slash command."""

    name: str
    value: str | int | float | bool | None = None


class InteractionData(Form):
    """The slash command, or the button by its `custom_id`."""

    name: str = ""
    custom_id: str = ""
    options: tuple[Option, ...] = ()


class Interaction(Form):
    """Somebody used a slash command (type 2) or pressed a button (type 3)."""

    id: str
    token: str
    type: int
    channel_id: str = ""
    guild_id: str | None = None
    member: Member | None = None
    user: User | None = None
    data: InteractionData = InteractionData()
    message: Message | None = None


class Channel(Form):
    """A channel of a guild; `type` 0 is one for text."""

    id: str
    type: int = 0
    position: int = 0


class Guild(Form):
    """A guild; only its id is known where it is unavailable or was left."""

    id: str
    unavailable: bool = False
    system_channel_id: str | None = None
    preferred_locale: str = ""
    channels: tuple[Channel, ...] = ()


class Ready(Form):
    """The beginning of a session, and the guilds that the bot is in."""

    guilds: tuple[Guild, ...] = ()


class Dispatch(Form):
    """A frame of the gateway with an event."""

    t: str | None = None
    d: Mapping[str, object] | None = None
