"""A chat platform for tests: say something, read what the bot answered."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from datetime import timedelta

from bot.platforms.base import Capabilities, OutgoingMessage, Receive
from bot.platforms.kit.events import is_called
from services.kernel.chat import ChatAddress, ChatMessage, Incoming, MessageEdited, MessageWithdrawn, Person, Reaction
from services.kernel.clock import Clock


class FakePlatform:
    """A platform in memory. `sent` are the messages with their chats; `texts` only what they say.

    `members_here` are the people whom it lists as members of every chat.
    `refuse` is called before each message is taken and may raise what a real platform would.
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
        """Return what the bot said, in order."""
        return [message.text for _, message in self.sent]

    async def run(self, receive: Receive) -> None:
        """Be connected until cancelled."""
        self._receive = receive
        self._is_ready.set()
        await asyncio.Event().wait()

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Take a message of the bot."""
        if self.refuse is not None:
            self.refuse(address, message)
        self.sent.append((address, message))
        self.sent_ids.append(f"bot-{next(self._ids)}")
        return self.sent_ids[-1]

    async def members(self, address: ChatAddress) -> Sequence[Person]:
        """Return the people who were put into the chat."""
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
        """Write `text` as `sender` and return when the bot has dealt with it; a reply to the bot is addressed to it.

        `waited` is how long ago it was written, by a platform that kept it until the bot was there again.
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
        """Change an earlier message and return when the bot knows; `by` says who did, and not only its author."""
        address, now = ChatAddress(platform=self.name, chat_id=chat), self._clock.now()
        await self.handle(MessageEdited(address=address, message_id=message_id, text=text, at=now, by=by))

    async def withdraw(self, message_id: str, *, chat: str = "home") -> None:
        """Take an earlier message back and return when the bot has given it up."""
        address = ChatAddress(platform=self.name, chat_id=chat)
        await self.handle(MessageWithdrawn(address=address, message_id=message_id, at=self._clock.now()))

    async def put_emoji(
        self, message_id: str, emoji: str, *, sender: str = "ann", chat: str = "home", is_added: bool = True
    ) -> None:
        """Put `emoji` under a message as `sender`, or take it back, and return when the bot has dealt with it."""
        address, person = ChatAddress(platform=self.name, chat_id=chat), Person(id=sender, name=sender)
        reaction = Reaction(address=address, message_id=message_id, person=person, emoji=emoji, is_added=is_added)
        await self.handle(reaction)

    async def handle(self, incoming: Incoming) -> None:
        """Let `incoming` come in, whatever it is, and return when the bot has dealt with it."""
        await self._is_ready.wait()
        if self._receive is None:
            raise RuntimeError("the platform is not connected")
        await (await self._receive(incoming))
