"""Convert Discord's events to chat messages. Source: https://discord.com/developers/docs/resources/message."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from bot.platforms.discord.events import Deleted, Guild, Interaction, Member, Message, ReactionChange, User
from bot.platforms.kit.commands import MENU_NAMES, format_call
from bot.platforms.kit.events import is_called
from function_calls.language.messages import LANGUAGES
from services.kernel.chat import (
    Attachment,
    BotAdded,
    ChatAddress,
    ChatMessage,
    MessageEdited,
    MessageWithdrawn,
    Person,
    Reaction,
)

NAME = "discord"

COMMAND, BUTTON = 2, 3

# Ordinary messages and replies; the other types are messages of the platform (somebody joined, pinned, boosted).
_MESSAGE_TYPES = {0, 19}
_MARKED = re.compile(r"<@!?(?P<user>\d+)>|<a?(?P<emoji>:\w+:)\d+>|<(?P<role>@&)\d+>")
_TEXT_CHANNEL = 0
_MANAGES = (1 << 3) | (1 << 5)  # ADMINISTRATOR, MANAGE_GUILD
_EPOCH = datetime(2015, 1, 1, tzinfo=UTC)


class Place(Struct, frozen=True, kw_only=True):
    """Data that a message lacks: the parent channel of its thread, and the rights of its author."""

    parent_id: str | None = None
    is_admin: bool = False


def address_of(channel_id: str, place: Place) -> ChatAddress:
    """Return the channel, and the thread in it."""
    if place.parent_id is None:
        return ChatAddress(platform=NAME, chat_id=channel_id)
    return ChatAddress(platform=NAME, chat_id=place.parent_id, thread_id=channel_id)


def to_message(message: Message, me: str, bot_name: str, place: Place) -> ChatMessage | None:
    """Convert a message; None for messages of the platform and of the bot itself. `me` is the bot's id."""
    if message.author is None or message.author.id == me or message.type not in _MESSAGE_TYPES:
        return None
    people = {user.id: user for user in message.mentions}
    text = display_text(message.content, people, me, bot_name)
    if not text and not message.attachments:
        return None
    is_private = message.guild_id is None
    answered = message.referenced_message
    is_answer_to_bot = answered is not None and answered.author is not None and answered.author.id == me
    return ChatMessage(
        id=message.id,
        address=address_of(message.channel_id, place),
        sender=Person(
            id=message.author.id,
            name=message.author.name_in(message.member),
            is_bot=message.author.bot or message.webhook_id is not None,
            is_admin=place.is_admin,
            username=message.author.username,
        ),
        text=text,
        sent_at=message.timestamp or _creation_time(message.id),
        is_addressed=is_private or me in people or is_answer_to_bot or is_called(text, bot_name),
        is_private=is_private,
        reply_to=message.message_reference.message_id if message.message_reference else None,
        mentions=tuple(
            Person(id=user.id, name=user.name_in(user.member), is_bot=user.bot)
            for user in message.mentions
            if user.id != me
        ),
        attachments=tuple(
            Attachment(kind=file.content_type.partition("/")[0] or "file", description=file.filename, url=file.url)
            for file in message.attachments
        ),
    )


def to_edited(message: Message, me: str, bot_name: str, place: Place) -> MessageEdited | None:
    """Convert an edit; None where only a preview was added, or the bot edited its own message."""
    if message.edited_timestamp is None or message.author is None or message.author.id == me:
        return None
    people = {user.id: user for user in message.mentions}
    return MessageEdited(
        address=address_of(message.channel_id, place),
        message_id=message.id,
        text=display_text(message.content, people, me, bot_name),
        at=message.edited_timestamp,
    )


def to_withdrawn(deleted: Deleted, place: Place, now: datetime) -> list[MessageWithdrawn]:
    """Convert the deletion of messages, for which Discord gives no time."""
    address = address_of(deleted.channel_id, place)
    return [MessageWithdrawn(address=address, message_id=each, at=now) for each in deleted.ids or (deleted.id,)]


def to_reaction(change: ReactionChange, me: str, place: Place, *, is_added: bool) -> Reaction | None:
    """Convert a reaction, except those of bots; removed reactions have no name of the person."""
    user = change.member.user if change.member else None
    if change.user_id == me or not change.emoji.name or (user is not None and user.bot):
        return None
    name = user.name_in(change.member) if user else change.user_id
    return Reaction(
        address=address_of(change.channel_id, place),
        message_id=change.message_id,
        person=Person(id=change.user_id, name=name),
        emoji=change.emoji.name,
        is_added=is_added,
    )


def to_added(guild: Guild) -> BotAdded | None:
    """Convert the joining of a guild; the chat is the guild's system channel, else its first text channel."""
    text_channels = sorted(
        (channel for channel in guild.channels if channel.type == _TEXT_CHANNEL), key=lambda channel: channel.position
    )
    place = guild.system_channel_id or next((channel.id for channel in text_channels), None)
    if place is None:
        return None
    # en-US is the default of guilds, so English was not necessarily chosen.
    language = guild.preferred_locale.partition("-")[0]
    language = language if language in LANGUAGES and language != "en" else ""
    return BotAdded(address=ChatAddress(platform=NAME, chat_id=place), language=language)


def to_interaction(interaction: Interaction, place: Place) -> ChatMessage | None:
    """Return a slash command as its text, a pressed button as its person's words."""
    user = interaction.user or (interaction.member.user if interaction.member else None)
    text = interaction_text(interaction)
    if user is None or not text:
        return None
    rights = int(interaction.member.permissions) if interaction.member else 0
    under = interaction.message.id if interaction.type == BUTTON and interaction.message else None
    return ChatMessage(
        id=interaction.id,
        address=address_of(interaction.channel_id, place),
        sender=Person(
            id=user.id,
            name=user.name_in(interaction.member),
            is_admin=bool(rights & _MANAGES),
            username=user.username,
        ),
        text=text,
        sent_at=_creation_time(interaction.id),
        is_addressed=True,
        is_private=interaction.guild_id is None,
        reply_to=under,
    )


def interaction_text(interaction: Interaction) -> str:
    """Return the text of an interaction: a command of a function names each of its fields."""
    data = interaction.data
    if interaction.type == BUTTON:
        return data.custom_id
    if interaction.type != COMMAND:
        return ""
    if data.name not in MENU_NAMES:
        return format_call(data.name, {option.name: option.value for option in data.options})
    return " ".join([f"/{data.name}", *(str(option.value) for option in data.options if option.value is not None)])


def display_text(content: str, people: Mapping[str, User], me: str, bot_name: str) -> str:
    """Return the text as people see it: mentions as `@name`, custom emoji by their names."""

    def word(mark: re.Match[str]) -> str:
        if mark["user"] == me:
            return f"@{bot_name}"
        if mark["user"]:
            user = people.get(mark["user"])
            return f"@{user.name_in(user.member)}" if user else mark[0]
        return mark["emoji"] or "@role"

    return _MARKED.sub(word, content).strip()


def _creation_time(snowflake: str) -> datetime:
    """Return the creation time in a snowflake. Source: https://discord.com/developers/docs/reference#snowflakes."""
    return _EPOCH + timedelta(milliseconds=int(snowflake) >> 22)


def may_manage(member: Member | None, permissions: Mapping[str, int], owner: str, user: str) -> bool:
    """Return whether somebody may manage the guild; `permissions` are those of its roles by id."""
    roles = member.roles if member else ()
    return user == owner or any(permissions.get(role, 0) & _MANAGES for role in roles)
