"""A chat platform in memory, for tests."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from datetime import timedelta

from bot.platforms.base import Capabilities, OutgoingMessage, Receive
from bot.platforms.kit.events import is_called
from services.kernel.chat import ChatAddress, ChatMessage, Incoming, MessageEdited, MessageWithdrawn, Person, Reaction
from services.kernel.clock import Clock


class FakePlatform:
    """A platform in memory. `sent` has the messages of the bot with their chats, `texts` only their texts.

    `members_here` are the members of every chat. `refuse` is called before each message is accepted and may raise the
    errors of a real platform.
    """

    def __init__(self, clock: Clock, *, name: str = "fake", bot_name: str = "Bubbles") -> None:
        self.name = name
        self.capabilities = Capabilities(takes_idempotency_key=True, replies=True, choices=True)
        self.sent: list[tuple[ChatAddress, OutgoingMessage]] = []
        self.sent_ids: list[str] = []
        self.members_here: tuple[Person, ...] = ()
        self.refuse: Callable[[ChatAddress, OutgoingMessage], None] | None = None
        self._clock = clock
        self._bot_name = bot_name
        self._receive: Receive | None = None
        self._is_ready = asyncio.Event()
        self._ids = itertools.count(1)

    @property
    def texts(self) -> list[str]:
        """Return the texts of the bot's messages in order."""
        return [message.text for _, message in self.sent]

    async def run(self, receive: Receive) -> None:
        """Stay connected until cancelled."""
        self._receive = receive
        self._is_ready.set()
        await asyncio.Event().wait()

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Accept a message of the bot, and return its id."""
        if self.refuse is not None:
            self.refuse(address, message)
        self.sent.append((address, message))
        self.sent_ids.append(f"bot-{next(self._ids)}")
        return self.sent_ids[-1]

    async def members(self, address: ChatAddress) -> Sequence[Person]:
        """Return `members_here`."""
        del address
        return self.members_here

    async def say(
        self,
        text: str,
        *,
        sender: str = "ann",
        chat: str = "home",
        message_id: str | None = None,
        is_private: bool = False,
        is_admin: bool = False,
        is_bot: bool = False,
        reply_to: str | None = None,
        thread: str | None = None,
        waited: timedelta = timedelta(),
    ) -> ChatMessage:
        """Send `text` as `sender` and wait until the bot has handled it; a reply to the bot is addressed to it.

        `waited` is the age of a message that the platform kept during an outage of the bot.
        """
        message = ChatMessage(
            id=message_id or f"message-{next(self._ids)}",
            address=ChatAddress(platform=self.name, chat_id=chat, thread_id=thread),
            sender=Person(id=sender, name=sender, is_admin=is_admin, is_bot=is_bot),
            text=text,
            sent_at=self._clock.now() - waited,
            is_addressed=is_private or (reply_to or "").startswith("bot-") or is_called(text, self._bot_name),
            is_private=is_private,
            reply_to=reply_to,
        )
        await self.handle(message)
        return message

    async def rewrite(self, message_id: str, text: str, *, chat: str = "home", by: str = "") -> None:
        """Edit an earlier message, as `by` or else its author, and wait until the bot has handled it."""
        address, now = ChatAddress(platform=self.name, chat_id=chat), self._clock.now()
        await self.handle(MessageEdited(address=address, message_id=message_id, text=text, at=now, by=by))

    async def withdraw(self, message_id: str, *, chat: str = "home", by: str = "") -> None:
        """Delete an earlier message, as `by` or else its author, and wait until the bot has handled it."""
        address, now = ChatAddress(platform=self.name, chat_id=chat), self._clock.now()
        await self.handle(MessageWithdrawn(address=address, message_id=message_id, at=now, by=by))

    async def put_emoji(
        self, message_id: str, emoji: str, *, sender: str = "ann", chat: str = "home", is_added: bool = True
    ) -> None:
        """Add or remove the reaction `emoji` of `sender`, and wait until the bot has handled it."""
        address, person = ChatAddress(platform=self.name, chat_id=chat), Person(id=sender, name=sender)
        reaction = Reaction(address=address, message_id=message_id, person=person, emoji=emoji, is_added=is_added)
        await self.handle(reaction)

    async def handle(self, incoming: Incoming) -> None:
        """Deliver any event to the bot, and wait until it has handled it."""
        await self._is_ready.wait()
        if self._receive is None:
            raise RuntimeError("the platform is not connected")
        await (await self._receive(incoming))
