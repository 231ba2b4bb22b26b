"""The whole bot with its clock standing still, told one message after the other; each in a chat of its own."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from benchmarks.evaluation.prompts import NONE, NOW, Prompt
from bot.app.application import App, build_app
from bot.config.settings import BotSettings, LogSettings, RouterSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import Interpretation, Interpreter, ToolCall, Turn
from services.kernel.chat import Person
from services.kernel.errors import ModelUnavailable
from services.reminders.model import Reminder
from services.reminders.service import ReminderService
from services.storage.database import Database

ZONE = "Asia/Shanghai"
_PERSON = "ann"
_ANY_PACE = 1_000_000
"""Messages in a minute: for a clock that stands still all of them come at once."""


class Observed(Struct, frozen=True, kw_only=True):
    """What the bot did with a message: the calls that were chosen, the reminders that are kept, what it said.

    `failure` says why the interpreter gave no answer; what the bot did then, it did offline.
    """

    prompt: Prompt
    calls: tuple[ToolCall, ...]
    reminders: tuple[Reminder, ...]
    said: tuple[str, ...]
    seconds: float
    failure: str = ""


class MeasuredBot:
    """Tells a running bot prompts and watches what comes of them."""

    def __init__(self, app: App, platform: FakePlatform, overheard: "Overheard") -> None:
        self._app = app
        self._platform = platform
        self._overheard = overheard
        self._chats = 0

    async def warm_up(self) -> None:
        """Say something that is not measured: a server reads the list of functions once and keeps it."""
        await self.tell(Prompt(text="hello", tool=NONE, language="en"))

    async def tell(self, prompt: Prompt) -> Observed:
        """Say the prompt in a private chat that is new."""
        self._chats += 1
        self._overheard.forget()
        heard, started = len(self._platform.texts), time.perf_counter()
        message = await self._platform.say(prompt.text, sender=_PERSON, chat=f"prompt-{self._chats}", is_private=True)
        took = time.perf_counter() - started
        reminders = self._app.services.get(ReminderService)
        return Observed(
            prompt=prompt,
            calls=self._overheard.calls,
            reminders=await reminders.list(message.address, Person(id=_PERSON, name=_PERSON)),
            said=tuple(self._platform.texts[heard:]),
            seconds=took,
            failure=self._overheard.failure,
        )


class Overheard:
    """An interpreter whose first round of calls is remembered, and why it failed if it did."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self.calls: tuple[ToolCall, ...] = ()
        self.failure = ""

    def forget(self) -> None:
        """Be ready for the next message."""
        self.calls, self.failure = (), ""

    async def interpret(self, turn: Turn) -> Interpretation:
        """Interpret, and remember the calls.

        Raises:
            ModelUnavailable: as the interpreter does.
        """
        try:
            made = await self._interpreter.interpret(turn)
        except ModelUnavailable as error:
            self.failure = str(error)
            raise
        except asyncio.CancelledError:
            self.failure = "given up: the answer took too long"
            raise
        if not turn.steps:
            self.calls = made.calls
        return made


@asynccontextmanager
async def measured_bot(interpreter: Interpreter) -> AsyncIterator[MeasuredBot]:
    """A bot in memory that understands with `interpreter`; it stays Friday 2026-11-20, 10:00."""
    pace = RouterSettings(messages_per_minute=_ANY_PACE, chat_messages_per_minute=_ANY_PACE)
    settings = Settings(bot=BotSettings(timezone=ZONE), log=LogSettings(to_file=False), router=pace)
    clock = StandingClock(_at(NOW))
    platform, overheard = FakePlatform(clock), Overheard(interpreter)
    async with build_app(
        settings, platforms=[platform], interpreter=overheard, clock=clock, database=Database("sqlite://")
    ) as app:
        yield MeasuredBot(app, platform, overheard)


def _at(moment: datetime) -> datetime:
    return moment.replace(tzinfo=ZoneInfo(ZONE))
