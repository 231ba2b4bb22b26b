"""The values of privacy: whose data, where, and what became of it."""

from dataclasses import dataclass, field

from msgspec import Struct

from services.chat import ChatAddress, ChatMessage, Person
from services.memory.model import Memory


class DataScope(Struct, frozen=True, kw_only=True):
    """The data of one person: of one chat, or, where they ask in private, of every chat of the platform."""

    address: ChatAddress
    person: Person
    is_everywhere: bool = False

    @property
    def place(self) -> str:
        """The chat's key, or the platform's name for all of its chats."""
        return self.address.platform if self.is_everywhere else self.address.key


class GoneMessage(Struct, frozen=True, kw_only=True):
    """A message whose words are not kept any more; `files` are the addresses of what came with it."""

    address: ChatAddress
    message_id: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Erasure:
    """The receipt of a "forget me": how much was removed.

    `replies` are the bot's answers to the messages, `records` what was written down about how they were understood.
    `gone` are those messages and answers, for whoever keeps something beside them.
    """

    messages: int
    replies: int
    memories: int
    records: int
    gone: tuple[GoneMessage, ...] = field(default=(), compare=False, repr=False)

    @property
    def is_empty(self) -> bool:
        """Return whether there was nothing to remove."""
        return not (self.messages or self.replies or self.memories or self.records)


class PersonData(Struct, frozen=True, kw_only=True):
    """What is kept about a person: counts in full, `messages` the latest of them, oldest first."""

    messages: tuple[ChatMessage, ...]
    message_count: int
    memories: tuple[Memory, ...]
    record_count: int
    is_opted_out: bool
