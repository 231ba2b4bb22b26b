"""A plugin for several workers on one database, with text files as a chat platform.

Messages of people are lines `id text` of `inbox.txt`, which is read from its end on. Messages of the bot, connections
and calls of `count_the_stars` are lines of `sent.txt`, `connected.txt` and `calls.txt` that begin with the name of the
worker. A call by the worker `first` waits for a file `continue.txt`.
"""

import asyncio
import os
from pathlib import Path

from bot.platforms.base import Capabilities, OutgoingMessage, Receive
from bot.plugins.contributions import Contributions
from function_calls.registry import tool_function
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.clock import Clock
from tests.support.log_lines import whole_lines

FOLDER = Path(os.environ["SHARED_FOLDER"])
LABEL = os.environ["SHARED_LABEL"]
HOME = ChatAddress(platform="files", chat_id="home")


def append(name: str, text: str) -> None:
    """Append a line."""
    with (FOLDER / name).open("a", encoding="utf-8") as file:
        file.write(f"{LABEL} {text}\n")


class FilePlatform:
    """Reads messages from a file and writes them to another."""

    name = "files"
    capabilities = Capabilities(takes_idempotency_key=True)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._is_connected = False

    async def run(self, receive: Receive) -> None:
        """Read new lines until cancelled."""
        append("connected.txt", "connected")
        self._is_connected = True
        inbox = FOLDER / "inbox.txt"
        seen = len(whole_lines(inbox))
        while True:
            lines = whole_lines(inbox)
            for line in lines[seen:]:
                number, _, text = line.partition(" ")
                await receive(
                    ChatMessage(
                        id=number,
                        address=HOME,
                        sender=Person(id="ann", name="ann"),
                        text=text,
                        sent_at=self._clock.now(),
                        is_addressed=True,
                    )
                )
            seen = len(lines)
            await asyncio.sleep(0.05)

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Append a line; only the connected worker can."""
        del address
        assert self._is_connected
        append("sent.txt", message.text.replace("\n", " "))
        return None


@tool_function(returns="reply", examples=("count the stars",))
async def count_the_stars() -> str:
    """Count the stars."""
    append("calls.txt", "called")
    while LABEL == "first" and not (FOLDER / "continue.txt").exists():  # noqa: ASYNC110 - a file has no event
        await asyncio.sleep(0.05)
    return "a thousand stars"


def setup(add: Contributions) -> None:
    """Add the platform."""
    add.platforms.append(FilePlatform(add.clock))
    add.functions.append(count_the_stars)
