"""Convert Slack's events to chat messages. Source: https://docs.slack.dev/messaging/formatting-message-text."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime

from msgspec import Struct

from bot.platforms.kit.commands import MENU_NAMES
from bot.platforms.kit.events import instant, is_called
from bot.platforms.slack.events import Command, Interaction, Message, ReactionChange, Stamp
from services.kernel.chat import (
    Attachment,
    BotAdded,
    ChatAddress,
    ChatMessage,
    Incoming,
    MessageEdited,
    MessageWithdrawn,
    Person,
    Reaction,
)

NAME = "slack"

ADDED, REMOVED = "reaction_added", "reaction_removed"

# Slack names emoji; these ask to join a reminder. Source: https://github.com/iamcal/emoji-data
_EMOJI: Mapping[str, str] = {
    **dict.fromkeys(("thumbsup", "+1"), "👍"),
    **dict.fromkeys(("hand", "raised_hand"), "✋"),
    "heavy_plus_sign": "➕",
    "raising_hand": "🙋",
}
_MESSAGE_SUBTYPES = {"", "file_share", "thread_broadcast", "me_message", "bot_message"}
_MARKED = re.compile(r"<(?P<kind>[@#!]?)(?P<body>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")
_MAX_PROFILES = 50
"""The mentioned people of one text whose profiles are requested; other events wait for each request."""
_COMMANDS = {f"/{name}" for name in MENU_NAMES}


class Account(Struct, frozen=True, kw_only=True):
    """The account of the bot: its user id, its bot id, and the name that people call it by."""

    user_id: str
    bot_id: str
    bot_name: str


def users_in(message: Message) -> set[str]:
    """Return the ids of the author and of the mentioned people, of whom there are at most fifty in each text."""
    texts = [message.text, message.message.text if message.message else ""]
    return {message.user, *(user for text in texts for user in _mentioned_ids(text)[:_MAX_PROFILES])} - {""}


def to_incoming(message: Message, me: Account, people: Mapping[str, Person]) -> Incoming | None:
    """Convert an event; None for kinds that the bot ignores. `people` are those of `users_in` by id."""
    if message.type == "member_joined_channel":
        return BotAdded(address=_address(message.channel, None)) if message.user == me.user_id else None
    if message.subtype in {"message_changed", "message_deleted"}:
        return _to_withdrawn(message) or _to_edited(message, me, people)
    if message.type not in {"message", "app_mention"} or message.subtype not in _MESSAGE_SUBTYPES:
        return None
    if message.user == me.user_id or (message.bot_id and message.bot_id == me.bot_id):
        return None
    return _to_message(message, me, people)


def to_reaction(change: ReactionChange, me: Account, people: Mapping[str, Person]) -> Reaction | None:
    """Convert a reaction of a person; the skin tone is left out, and an unknown name stays a name."""
    if change.item.type != "message" or change.user == me.user_id:
        return None
    name = change.reaction.partition("::")[0]
    return Reaction(
        address=ChatAddress(platform=NAME, chat_id=change.item.channel),
        message_id=change.item.ts,
        person=_person(change.user, people),
        emoji=_EMOJI.get(name, name),
        is_added=change.type == ADDED,
    )


def to_command(
    command: Command, people: Mapping[str, Person], now: datetime, offered: Collection[str] = _COMMANDS
) -> ChatMessage:
    """Return a slash command as its text: with the name for those that are `offered`, else without."""
    words = f"{command.command} {command.text}" if command.command in offered else command.text
    return ChatMessage(
        id=f"command-{command.trigger_id}",
        address=ChatAddress(platform=NAME, chat_id=command.channel_id, thread_id=command.thread_ts),
        sender=_person(command.user_id, people),
        text=words.strip() or "/help",
        sent_at=now,
        is_addressed=True,
        is_private=_is_private(command.channel_id),
    )


def to_pressed(interaction: Interaction, people: Mapping[str, Person], now: datetime) -> ChatMessage | None:
    """Convert a pressed button to a message with its text, in reply to the message that has the button.

    Slack leaves out the message where only one person sees it.
    """
    user, channel, place = interaction.user, interaction.channel, interaction.container
    message = interaction.message or Stamp(ts=place.message_ts, thread_ts=place.thread_ts)
    if interaction.type != "block_actions" or not interaction.actions or not (user and channel and message.ts):
        return None
    action = interaction.actions[0]
    return ChatMessage(
        id=f"press-{message.ts}-{user.id}-{action.action_ts}",
        address=_address(channel.id, message),
        sender=_person(user.id, people),
        text=action.value,
        sent_at=now,
        is_addressed=True,
        is_private=_is_private(channel.id),
        reply_to=message.ts,
    )


def display_text(text: str, me: Account, people: Mapping[str, Person]) -> str:
    """Return the text as people see it: mentions as `@name`, links by their addresses, escapes undone."""

    def word(mark: re.Match[str]) -> str:
        kind, body, label = mark["kind"], mark["body"], mark["label"]
        if kind == "@":
            return f"@{me.bot_name}" if body == me.user_id else f"@{_person(body, people).name}"
        if kind == "#":
            return f"#{label or body}"
        if kind == "!":
            return label or f"@{body.partition('^')[0]}"
        return body if label in (None, body) else f"{label} ({body})"

    return _MARKED.sub(word, text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _to_message(message: Message, me: Account, people: Mapping[str, Person]) -> ChatMessage | None:
    text = display_text(message.text, me, people)
    attachments = tuple(
        Attachment(kind=file.filetype or "file", description=file.name or "", url=file.permalink)
        for file in message.files
    )
    if not text and not attachments:
        return None
    is_private = message.channel_type == "im"
    called = _mentioned_ids(message.text)
    is_target = message.type == "app_mention" or me.user_id in called or message.parent_user_id == me.user_id
    sender = _person(message.user or message.bot_id or "", people)
    return ChatMessage(
        id=message.ts,
        address=_address(message.channel, message),
        sender=sender if message.bot_id is None else Person(id=sender.id, name=sender.name, is_bot=True),
        text=text,
        sent_at=instant(message.ts),
        is_addressed=is_private or is_target or is_called(text, me.bot_name),
        is_private=is_private,
        mentions=tuple(_person(user, people) for user in called if user != me.user_id),
        attachments=attachments,
    )


def _to_withdrawn(message: Message) -> MessageWithdrawn | None:
    """Convert the deletion of a message; one with replies is changed to a tombstone. None for another change."""
    new = message.message
    message_id = new.ts if new is not None and new.subtype == "tombstone" else message.deleted_ts
    if not message_id:
        return None
    return MessageWithdrawn(
        address=_address(message.channel, message.previous_message),
        message_id=message_id,
        at=instant(message.event_ts),
    )


def _to_edited(message: Message, me: Account, people: Mapping[str, Person]) -> MessageEdited | None:
    """Convert an edit; None where Slack only added a preview, or the bot edited its own message."""
    new, old = message.message, message.previous_message
    if new is None or new.user == me.user_id or (old is not None and old.text == new.text):
        return None
    return MessageEdited(
        address=_address(message.channel, new),
        message_id=new.ts,
        text=display_text(new.text, me, people),
        at=instant(message.event_ts or message.ts),
    )


def _mentioned_ids(text: str) -> list[str]:
    return list(dict.fromkeys(mark["body"] for mark in _MARKED.finditer(text) if mark["kind"] == "@"))


def _address(channel: str, message: Message | Stamp | None) -> ChatAddress:
    is_in_thread = message is not None and message.thread_ts is not None and message.thread_ts != message.ts
    return ChatAddress(
        platform=NAME, chat_id=channel, thread_id=message.thread_ts if message and is_in_thread else None
    )


def _is_private(channel: str) -> bool:
    return channel.startswith("D")


def _person(user: str, people: Mapping[str, Person]) -> Person:
    return people.get(user) or Person(id=user, name=user)
