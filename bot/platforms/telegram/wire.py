"""Convert Telegram's updates to chat messages. Source: https://core.telegram.org/bots/api."""

from collections.abc import Collection, Mapping
from datetime import datetime

from aiogram.types import (
    CallbackQuery,
    ChatMemberUpdated,
    InaccessibleMessage,
    Message,
    MessageEntity,
    MessageReactionUpdated,
    ReactionTypeUnion,
    Update,
    User,
)
from aiogram.types.chat_member_union import ChatMemberUnion
from msgspec import Struct, field

from bot.platforms.kit.events import instant, is_called
from function_calls.language.messages import LANGUAGES
from services.kernel.chat import (
    Attachment,
    BotAdded,
    ChatAddress,
    ChatMessage,
    ChatMoved,
    Incoming,
    MessageEdited,
    Person,
    Reaction,
)

NAME = "telegram"

# The account under which administrators of a group write anonymously.
_ANONYMOUS_ADMIN = 1087968824

_GROUPS = {"group", "supergroup"}
_MEMBERS = {"creator", "administrator", "member"}

_ATTACHMENTS = (
    "photo",
    "document",
    "voice",
    "audio",
    "video",
    "video_note",
    "animation",
    "sticker",
    "location",
    "poll",
)


class Account(Struct, frozen=True, kw_only=True):
    """The account of the bot: its number, its user name, and the name that people call it by.

    `people` are the latest authors of messages, by user name in small letters.
    """

    id: int
    username: str
    bot_name: str
    people: Mapping[str, Person] = field(default_factory=dict)


def to_incoming(update: Update, me: Account, now: datetime, admins: Collection[str] = ()) -> Incoming | None:
    """Convert `update`; None for kinds that the bot ignores. `admins` are ids of the chat's administrators.

    `now` (timezone-aware) is the time of a pressed button, for which Telegram gives only the time of its message.
    """
    if update.message is not None:
        return _find_move(update.message) or _to_message(update.message, me, admins)
    if update.edited_message is not None:
        edited = update.edited_message
        return MessageEdited(
            address=address_of(edited),
            message_id=str(edited.message_id),
            text=_Reading(edited, me).text,
            at=instant(edited.edit_date) if edited.edit_date else edited.date,
        )
    if update.callback_query is not None:
        return _to_pressed(update.callback_query, now, admins)
    if update.my_chat_member is not None:
        return _to_added(update.my_chat_member)
    return None


def to_reactions(change: MessageReactionUpdated, admins: Collection[str] = ()) -> tuple[Reaction, ...]:
    """Return the reactions that somebody added and removed; nothing for anonymous people and bots."""
    if change.user is None or change.user.is_bot:
        return ()
    before = {_emoji(each) for each in change.old_reaction}
    after = {_emoji(each) for each in change.new_reaction}
    address = ChatAddress(platform=NAME, chat_id=str(change.chat.id))
    person = _person(change.user, admins)
    return tuple(
        Reaction(
            address=address, message_id=str(change.message_id), person=person, emoji=emoji, is_added=emoji in after
        )
        for emoji in sorted((before ^ after) - {""})
    )


def _emoji(reaction: ReactionTypeUnion) -> str:
    """Return the character of an emoji, else the number of one that somebody drew."""
    return str(getattr(reaction, "emoji", "") or getattr(reaction, "custom_emoji_id", ""))


def address_of(message: Message | InaccessibleMessage) -> ChatAddress:
    """Return the chat and, in a forum, the topic of a message."""
    thread = str(message.message_thread_id) if isinstance(message, Message) and message.is_topic_message else None
    return ChatAddress(platform=NAME, chat_id=str(message.chat.id), thread_id=thread)


def _find_move(message: Message) -> ChatMoved | None:
    """Return the event of a message that a group became a supergroup; both chats have such a message."""
    old, new = message.migrate_from_chat_id or message.chat.id, message.migrate_to_chat_id or message.chat.id
    return None if old == new else to_moved(old, new)


def to_moved(old: int, new: int) -> ChatMoved:
    """Return the event for the numbers of a group and of the supergroup that it became."""
    previous, address = (ChatAddress(platform=NAME, chat_id=str(number)) for number in (old, new))
    return ChatMoved(address=address, previous=previous)


def _to_message(message: Message, me: Account, admins: Collection[str]) -> ChatMessage | None:
    if message.from_user is None or message.chat.type == "channel":
        return None
    attachments = _attachments(message)
    reading = _Reading(message, me)
    if not reading.text and not attachments:
        return None  # a service message: somebody joined, a title changed
    answered = _reply_target(message)
    is_private = message.chat.type == "private"
    is_answer_to_bot = answered is not None and answered.from_user is not None and answered.from_user.id == me.id
    is_addressed = is_private or is_answer_to_bot or reading.mentions_bot or is_called(reading.text, me.bot_name)
    return ChatMessage(
        id=str(message.message_id),
        address=address_of(message),
        sender=_sender(message, message.from_user, admins),
        text=reading.text,
        sent_at=message.date,
        is_addressed=is_addressed,
        is_private=is_private,
        reply_to=None if answered is None else str(answered.message_id),
        mentions=tuple(reading.mentions),
        attachments=attachments,
    )


def _to_pressed(query: CallbackQuery, now: datetime, admins: Collection[str]) -> ChatMessage | None:
    """Convert a pressed button to a message with its text, in reply to the message that has the button."""
    if query.message is None or not query.data:
        return None
    return ChatMessage(
        id=f"press-{query.id}",
        address=address_of(query.message),
        sender=_person(query.from_user, admins),
        text=query.data,
        sent_at=now,
        is_addressed=True,
        is_private=query.message.chat.type == "private",
        reply_to=str(query.message.message_id),
    )


def _to_added(change: ChatMemberUpdated) -> BotAdded | None:
    """Convert the addition of the bot to a group; the language is that of the app of the person who added it."""
    is_new = _is_in(change.new_chat_member) and not _is_in(change.old_chat_member)
    if not is_new or change.chat.type not in _GROUPS:
        return None
    language = (change.from_user.language_code or "").partition("-")[0]
    return BotAdded(
        address=ChatAddress(platform=NAME, chat_id=str(change.chat.id)),
        language=language if language in LANGUAGES else "",
    )


def _is_in(member: ChatMemberUnion) -> bool:
    return member.status in _MEMBERS or getattr(member, "is_member", False)


def _reply_target(message: Message) -> Message | None:
    """Return the message that is replied to; in a topic all others formally reply to its first message."""
    answered = message.reply_to_message
    if answered is None or (message.is_topic_message and answered.message_id == message.message_thread_id):
        return None
    return answered


def _sender(message: Message, user: User, admins: Collection[str]) -> Person:
    if message.sender_chat is None:
        return _person(user, admins)
    # Sent in the name of a chat: by an anonymous administrator, or a channel post that Telegram forwards.
    is_admin = user.id == _ANONYMOUS_ADMIN
    return Person(
        id=str(message.sender_chat.id), name=message.sender_chat.title or "", is_bot=not is_admin, is_admin=is_admin
    )


def _person(user: User, admins: Collection[str]) -> Person:
    return Person(
        id=str(user.id),
        name=name_of(user),
        is_bot=user.is_bot,
        is_admin=str(user.id) in admins,
        username=user.username or "",
    )


def name_of(user: User) -> str:
    """Return the name that people see."""
    return user.full_name.strip() or user.username or str(user.id)


def _attachments(message: Message) -> tuple[Attachment, ...]:
    held = {kind: getattr(message, kind) for kind in _ATTACHMENTS}
    return tuple(Attachment(kind=kind, description=_description(each)) for kind, each in held.items() if each)


def _description(held: object) -> str:
    """Return the file's name or the sticker's emoji."""
    return str(next(filter(None, (getattr(held, name, None) for name in ("file_name", "emoji", "question"))), ""))


def _decode_units(units: bytes) -> str:
    """Decode a part of a text; a character that an entity splits becomes U+FFFD."""
    return units.decode("utf-16-le", "replace")


class _Reading:
    """The text of a message with every mention as `@name`, and who is mentioned, the bot left out."""

    def __init__(self, message: Message, me: Account) -> None:
        self._me = me
        self.mentions_bot = False
        self.mentions: list[Person] = []
        units = (message.text or message.caption or "").encode("utf-16-le", "replace")
        pieces, end = [], 0
        for entity in message.entities or message.caption_entities or ():
            start, stop = entity.offset * 2, (entity.offset + entity.length) * 2
            part = _decode_units(units[start:stop])
            replaced = self._read(entity, part)
            if replaced is not None and start >= end:
                pieces += [_decode_units(units[end:start]), replaced]
                end = stop
        self.text = "".join([*pieces, _decode_units(units[end:])]).strip()

    def _read(self, entity: MessageEntity, part: str) -> str | None:
        """Return the replacement of `part`; None leaves it unchanged."""
        if entity.type == "mention":
            return self._by_username(part.removeprefix("@"))
        if entity.type == "text_mention" and entity.user is not None:
            return self._by_account(entity.user)
        if entity.type == "bot_command":
            return self._command(part)
        return None

    def _by_username(self, username: str) -> str:
        if username.lower() == self._me.username.lower():
            self.mentions_bot = True
            return f"@{self._me.bot_name}"
        # Bots do not get the number of a user name; an unknown person can be mentioned by the user name.
        person = self._me.people.get(username.lower()) or Person(id=f"@{username}", name=username)
        self.mentions.append(person)
        return f"@{person.name}"

    def _by_account(self, user: User) -> str:
        if user.id == self._me.id:
            self.mentions_bot = True
            return f"@{self._me.bot_name}"
        self.mentions.append(Person(id=str(user.id), name=name_of(user), is_bot=user.is_bot))
        return f"@{name_of(user)}"

    def _command(self, part: str) -> str:
        command, _, whose = part.partition("@")
        if whose.lower() in {"", self._me.username.lower()}:
            self.mentions_bot = True
            return command
        return part
