"""A platform under test, its server and the people who talk to it there."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TypeVar

import pytest
from msgspec import Struct

from bot.platforms.base import Platform
from services.kernel.chat import ChatAddress, ChatMessage, Incoming

News = TypeVar("News", bound=Incoming)
WAIT_SECONDS = 4.0


async def until(condition: Callable[[], bool], *, seconds: float = 20.0) -> bool:
    """Poll `condition` until it holds; return False if it does not within `seconds`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110 - the condition has no event
                await asyncio.sleep(0.01)
    return condition()


class NotSupported(Exception):
    """The platform or its server does not support an operation of a test."""


class VisibleMessage(Struct, frozen=True, kw_only=True):
    """A message of the bot as people in the chat see it, without formatting.

    `mentioned` are the ids of the people whom it notifies, `files` the names of its files.
    """

    id: str
    text: str
    reply_to: str | None = None
    mentioned: tuple[str, ...] = ()
    notifies_everyone: bool = False
    choices: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class PlatformRig(ABC):
    """Connects the contract tests to a platform and its server.

    `chat` is a group of `ann`, `ben` and the bot. In texts of people, `{bot}` and `{ben}` stand for mentions in the
    platform's own form. Methods for features that the platform lacks raise `NotSupported`.
    """

    platform: Platform
    chat: ChatAddress
    bot_name: str = "Bubbles"

    def __init__(self) -> None:
        self.received: list[Incoming] = []
        self.is_recording = False
        self._arrived = asyncio.Event()

    @abstractmethod
    async def say(self, text: str, *, sender: str = "ann", reply_to: str | None = None) -> str:
        """Send `text` as `sender` to the chat; return the platform's id of the message."""

    @abstractmethod
    async def bot_messages(self, count: int = 1) -> Sequence[VisibleMessage]:
        """Wait for at least `count` messages of the bot in the chat; return all, or fewer when no more come."""

    @abstractmethod
    async def ready(self) -> None:
        """Wait until the platform is connected and in the chat."""

    async def repeat(self) -> None:
        """Make the server deliver the last message again, as after a lost acknowledgement."""
        raise NotSupported

    async def echo(self, text: str) -> None:
        """Make the server deliver the bot's own message to it."""
        raise NotSupported(text)

    async def limit(self, seconds: float, *, everywhere: bool) -> None:
        """Make the server refuse the bot's next message for `seconds`, in its chat or `everywhere`.

        A platform that does not distinguish the two supports only the first.
        """
        raise NotSupported(seconds, everywhere)

    async def disconnect(self) -> None:
        """Cut the bot's connection; it may reconnect at once."""
        raise NotSupported

    async def press(self, message_id: str, label: str, *, sender: str = "ann") -> None:
        """Press a button of the bot's message as `sender`."""
        raise NotSupported(message_id, label, sender)

    async def react(self, message_id: str, emoji: str, *, sender: str = "ann", is_added: bool = True) -> None:
        """Add or remove the reaction `emoji` of `sender`."""
        raise NotSupported(message_id, emoji, sender, is_added)

    async def rewrite(self, message_id: str, text: str, *, sender: str = "ann") -> None:
        """Edit a message of `sender`."""
        raise NotSupported(message_id, text, sender)

    async def withdraw(self, message_id: str, *, sender: str = "ann") -> None:
        """Delete a message of `sender`."""
        raise NotSupported(message_id, sender)

    @property
    def unreachable_chat(self) -> ChatAddress:
        """Return an address that the bot cannot send to."""
        raise NotSupported

    @property
    def delivers_missed_messages(self) -> bool:
        """Return whether the platform later delivers messages that were sent during an outage of the connection."""
        return False

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Run the platform within the context and record received events."""
        self.is_recording = True
        running = asyncio.create_task(self.platform.run(self._receive), name="platform under test")
        waiting = asyncio.create_task(self.ready(), name="until it is ready")
        try:
            await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED, timeout=60)
            if not waiting.done():
                waiting.cancel()
                if running.done():
                    running.result()
                raise TimeoutError("the platform did not become ready")
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def messages(self, count: int = 1) -> Sequence[ChatMessage]:
        """Wait for at least `count` received messages; return fewer when no more come."""
        return await self.events(ChatMessage, count)

    async def events(self, kind: type[News], count: int = 1) -> Sequence[News]:
        """Wait for at least `count` received events of `kind`; return fewer when no more come."""
        with suppress(TimeoutError):
            async with asyncio.timeout(WAIT_SECONDS):
                while len([each for each in self.received if isinstance(each, kind)]) < count:
                    self._arrived.clear()
                    await self._arrived.wait()
        return [each for each in self.received if isinstance(each, kind)]

    async def _receive(self, incoming: Incoming) -> Awaitable[object]:
        self.received.append(incoming)
        self._arrived.set()
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done


@contextmanager
def skip_if_unsupported() -> Iterator[None]:
    """Skip the test if the platform does not support the operation in the context."""
    try:
        yield
    except NotSupported:
        pytest.skip("the platform does not support this")


async def wait_for_message(rig: PlatformRig) -> Sequence[VisibleMessage]:
    """Wait for a message of the bot, and return all."""
    while not (messages := await rig.bot_messages()):  # noqa: ASYNC110 - a server has no event
        await asyncio.sleep(0.1)
    return messages


async def wait_for_words(rig: PlatformRig, words: int) -> Sequence[VisibleMessage]:
    """Wait until the messages of the bot have `words` words in all, or no longer change, and return them.

    Words come in further messages and in edits of a draft.
    """
    texts: list[str] | None = None
    messages = await rig.bot_messages()
    while texts != (texts := [each.text for each in messages]) and _count_words(texts) < words:
        messages = await rig.bot_messages(len(messages) + 1)
    return messages


def _count_words(texts: Sequence[str]) -> int:
    """Count the words of all texts without the mark at the end of a draft."""
    return sum(len(text.replace("…", " ").split()) for text in texts)
