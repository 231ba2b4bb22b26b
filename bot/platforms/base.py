"""Protocols that chat platforms implement: `Platform`, `Capabilities` and optional features."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct

from function_calls.language.messages import Message
from services.kernel.chat import ChatAddress, ChatMessage, Incoming, Person, SentFile
from services.kernel.chat import Choice as Choice  # noqa: PLC0414 - exported beside the message that has it
from services.kernel.state import StateStore
from services.language_model.ports import TextListener
from services.people.privacy import DeletedMessage
from services.reminders.model import DueNotice

OptionKind = Literal["text", "integer", "number", "boolean"]

Receive = Callable[[Incoming], Awaitable[Awaitable[object]]]
"""Returns once a message is recorded or another event is queued; the result completes when it is handled.

It waits while the database is unavailable, so a platform acknowledges an event only after it returns.
"""


class CommandOption(Struct, frozen=True, kw_only=True):
    """A field of a command. `choices` are the allowed texts, if limited; `minimum` and `maximum` bound a number."""

    name: str
    kind: OptionKind
    english: str
    chinese: str
    is_required: bool = False
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None


class Command(Struct, frozen=True, kw_only=True):
    """`/name`, its descriptions and its fields; a command of the menu has at most one field, a text.

    `kit.commands.format_call` formats the values of the fields of a function.
    """

    name: str
    english: str
    chinese: str
    options: tuple[CommandOption, ...] = ()


class Capabilities(Struct, frozen=True, kw_only=True):
    """Features of a platform, to which the outbox adapts messages.

    `max_length` is in characters, 0 means no limit. `takes_idempotency_key`: the platform drops a second message with
    the same key. `choices` are buttons; `private_replies` are messages in a group that only one person sees.
    `per_process`: each process has its own chats, such as a terminal; of several workers on one database only one is
    connected to any other platform. A streamed answer is edited once in `seconds_between_edits`, and `max_edits` times
    at most (0: no limit). `max_file_kilobytes` is the size of the largest file, 0 means no limit.
    `authenticates_people`: nobody can use the id of another person; accounts are linked only then.

    A platform has further features by implementing the protocols below.
    """

    replies: bool = False
    max_length: int = 0
    takes_idempotency_key: bool = False
    choices: bool = False
    private_replies: bool = False
    files: bool = False
    per_process: bool = False
    seconds_between_edits: float = 3.0
    max_edits: int = 0
    max_file_kilobytes: int = 0
    authenticates_people: bool = True


class OutgoingMessage(Struct, frozen=True, kw_only=True):
    """A message to send: Markdown text, the people to notify, and a key by which a repeat is recognised.

    A person of `mentions` is written as `@name` in the text. Text never notifies everyone: only `mentions_everyone`
    does, which is set by code. `files` are passed only to platforms with the capability `files`. `private_to` is the
    one person who may see the message. `notices` are the due reminders in it, for platforms that show them in their
    own way. `can_retry`: the message that it answers may succeed later.
    """

    text: str
    reply_to: str | None = None
    mentions: tuple[Person, ...] = ()
    mentions_everyone: bool = False
    idempotency_key: str | None = None
    choices: tuple[Choice, ...] = ()
    files: tuple[SentFile, ...] = ()
    private_to: Person | None = None
    notices: tuple[DueNotice, ...] = ()
    can_retry: bool = False


HealthState = Literal["connecting", "live", "deaf", "stopped"]


class Health(Struct, frozen=True, kw_only=True):
    """State of a connection. `deaf`: connected, but nothing was received for suspiciously long.

    `since` is the time of the last change (timezone-aware), `detail` the reason for the operator, in English as `str`.
    `reconnects` is the number of new connections since the start.
    """

    state: HealthState
    since: datetime
    detail: Message | str = ""
    reconnects: int = 0


class Platform(Protocol):
    """A connection to one chat platform."""

    @property
    def name(self) -> str:
        """The name in addresses (`console`, `telegram`)."""

    @property
    def capabilities(self) -> Capabilities:
        """Return the features of the platform."""

    async def run(self, receive: Receive) -> None:
        """Receive messages until cancelled or until the input ends."""

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message` to the chat and return the platform's id of it, None when it gives none.

        Raises:
            DeliveryFailed: the platform refused it.
        """


@runtime_checkable
class EditsMessages(Protocol):
    """Can edit its messages."""

    async def edit(self, address: ChatAddress, message_id: str, message: OutgoingMessage) -> None:
        """Edit the bot's message `message_id` to `message`.

        Raises:
            DeliveryFailed: the platform refused it.
        """


@runtime_checkable
class ShowsTyping(Protocol):
    """Can show a typing indicator."""

    async def typing(self, address: ChatAddress) -> None:
        """Show the indicator for a few seconds; refusals are ignored."""


@runtime_checkable
class StreamsAnswers(Protocol):
    """Can show an answer while a model writes it."""

    def listener(self, message: ChatMessage) -> TextListener | None:
        """Return the listener for the pieces of the answer to `message`, or None; the whole answer is sent too."""


@runtime_checkable
class ResumesMessages(Protocol):
    """Handles messages that an earlier run has recorded and not answered."""

    async def resume_message(self, message: ChatMessage) -> None:
        """Handle a recorded message; return when it is handled."""


@runtime_checkable
class KeepsFiles(Protocol):
    """Stores attachments itself."""

    async def forget(self, gone: Sequence[DeletedMessage]) -> None:
        """Delete the attachments of deleted messages."""


@runtime_checkable
class KeepsState(Protocol):
    """Keeps state over restarts, such as its position in a stream of events."""

    def use_state(self, state: StateStore) -> None:
        """Store the state in `state`; called once, before `run`."""


@runtime_checkable
class LinksMessages(Protocol):
    """Knows the web addresses of messages."""

    def link(self, address: ChatAddress, message_id: str) -> str | None:
        """Return a link that opens the message; None where there is none."""


@runtime_checkable
class KnowsMembers(Protocol):
    """Knows who is in a chat."""

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether the person is in the chat now; None where the platform does not report it.

        Raises:
            DeliveryFailed: the platform could not be asked.
        """


@runtime_checkable
class ListsMembers(Protocol):
    """Knows the people of a chat by name, so that "remind Bob" finds somebody who has not written yet."""

    async def members(self, address: ChatAddress) -> Sequence[Person]:
        """Return the people in the chat, as far as the platform lists them.

        Raises:
            DeliveryFailed: the platform could not be asked.
        """


@runtime_checkable
class OffersCommands(Protocol):
    """Shows commands while somebody types `/`."""

    def set_commands(self, commands: Sequence[Command]) -> None:
        """Show `commands` in this order, as many as the platform allows; called once, before `run`."""


@runtime_checkable
class HasHealth(Protocol):
    """Reports the state of its connection."""

    @property
    def health(self) -> Health:
        """The state of the connection now."""
