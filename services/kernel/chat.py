"""Declare addresses, people, messages and events of chats, independent of platforms."""

from dataclasses import dataclass, field
from datetime import datetime

from msgspec import Struct


class ChatAddress(Struct, frozen=True, kw_only=True):
    """A chat on a platform, with an optional thread."""

    platform: str
    chat_id: str
    thread_id: str | None = None

    @property
    def key(self) -> str:
        """The key of the chat, without its thread, in storage."""
        return f"{self.platform}:{self.chat_id}"

    @classmethod
    def of_key(cls, key: str, thread_id: str | None = None) -> "ChatAddress":
        """Return the address for the key of a chat and a thread."""
        platform, _, chat_id = key.partition(":")
        return cls(platform=platform, chat_id=chat_id, thread_id=thread_id)

    def __str__(self) -> str:
        return self.key if self.thread_id is None else f"{self.key}/{self.thread_id}"


class Person(Struct, frozen=True, kw_only=True):
    """A member of a chat. `id` is stable on its platform; `name` is displayed.

    `username` is the name for mentions, without the @; empty if unknown. A recipient of a reminder who asked to be one
    `has_joined` it.
    """

    id: str
    name: str
    is_bot: bool = False
    is_admin: bool = False
    username: str = ""
    has_joined: bool = False


class Attachment(Struct, frozen=True, kw_only=True):
    """A description of a file or picture in a message."""

    kind: str
    description: str
    url: str | None = None


class Choice(Struct, frozen=True, kw_only=True):
    """A button. Pressing it sends `says` as that person, as a reply to the message with the button.

    `for_people` are the ids of people who may press it; empty for everybody. It expires at `expires_at`
    (timezone-aware; None: never), or when the change with the id `change_id` is undone.
    """

    label: str
    says: str
    for_people: tuple[str, ...] = ()
    expires_at: datetime | None = None
    change_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SentFile:
    """A file or picture that the bot sends. `media_type` is the MIME type, such as `image/png`."""

    name: str
    media_type: str
    content: bytes = field(repr=False)

    @property
    def kilobytes(self) -> int:
        """The size of the content, rounded up."""
        return -(-len(self.content) // 1000)


class ChatMessage(Struct, frozen=True, kw_only=True):
    """A message as the platform delivered it.

    `id` is that of the platform, unique within the chat. `sent_at` is timezone-aware. `is_addressed`: the message is
    for the bot, by a mention, a reply, the bot's name at its beginning, or a private chat. `is_recorded`: the platform
    adapter has stored the message, which is new. `is_edited`: an earlier version of it was answered.
    """

    id: str
    address: ChatAddress
    sender: Person
    text: str
    sent_at: datetime
    is_addressed: bool = False
    is_private: bool = False
    reply_to: str | None = None
    mentions: tuple[Person, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    is_recorded: bool = False
    is_edited: bool = False

    @property
    def is_for_bot(self) -> bool:
        """Return whether the message is addressed to the bot or was sent in private."""
        return self.is_addressed or self.is_private


class MessageEdited(Struct, frozen=True, kw_only=True):
    """A person edited a message. `at` is timezone-aware.

    `by` is the id of the editor if the platform reports edits by other people too; else empty.
    """

    address: ChatAddress
    message_id: str
    text: str
    at: datetime
    by: str = ""


class MessageWithdrawn(Struct, frozen=True, kw_only=True):
    """A person deleted a message. `at` is timezone-aware, `by` as in `MessageEdited`."""

    address: ChatAddress
    message_id: str
    at: datetime
    by: str = ""


class BotAdded(Struct, frozen=True, kw_only=True):
    """A person added the bot to a group. `language` is the group's (`en`, `zh`), empty when unknown."""

    address: ChatAddress
    language: str = ""


class ChatMoved(Struct, frozen=True, kw_only=True):
    """The platform gave a chat a new id: `address` has the new one, `previous` the old one; both without a thread."""

    address: ChatAddress
    previous: ChatAddress


class Reaction(Struct, frozen=True, kw_only=True):
    """A person added an emoji to a message, or removed it (`is_added` is false).

    `emoji` is the character, or the platform's name for a custom one.
    """

    address: ChatAddress
    message_id: str
    person: Person
    emoji: str
    is_added: bool = True


Correction = MessageEdited | MessageWithdrawn
Incoming = ChatMessage | Correction | Reaction | BotAdded | ChatMoved
"""An event of a platform: a message or a change of one, a reaction, a group that the bot joined, a new id of a chat."""
