"""Run the bot in memory with a fixed time and send it prompts, each in a new private chat."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from zoneinfo import ZoneInfo

from msgspec import Struct

from benchmarks.evaluation.prompts import NOW, Prompt
from benchmarks.evaluation.sentence_cases import NONE
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
_MAX_MESSAGES_PER_MINUTE = 1_000_000
"""Above the number of prompts, which are all sent at the same time of the clock."""


class Observation(Struct, frozen=True, kw_only=True):
    """The calls, the open reminders and the answers of the bot after a prompt.

    `failure` is the reason why the interpreter gave no answer; the bot then used its rules.
    """

    prompt: Prompt
    calls: tuple[ToolCall, ...]
    reminders: tuple[Reminder, ...]
    answers: tuple[str, ...]
    seconds: float
    failure: str = ""


class BotRunner:
    """Sends prompts to a running bot and observes the results."""

    def __init__(self, app: App, platform: FakePlatform, recorder: "RecordingInterpreter") -> None:
        self._app = app
        self._platform = platform
        self._recorder = recorder
        self._chats = 0

    async def warm_up(self) -> None:
        """Send a message that is not measured, after which a server has the list of functions in its cache."""
        await self.send(Prompt(text="hello", tool=NONE, language="en"))

    async def send(self, prompt: Prompt) -> Observation:
        """Send the prompt in a new private chat and return what the bot did."""
        self._chats += 1
        self._recorder.clear()
        count, start = len(self._platform.texts), time.perf_counter()
        message = await self._platform.say(prompt.text, sender=_PERSON, chat=f"prompt-{self._chats}", is_private=True)
        seconds = time.perf_counter() - start
        reminders = self._app.services.get(ReminderService)
        return Observation(
            prompt=prompt,
            calls=self._recorder.calls,
            reminders=await reminders.list(message.address, Person(id=_PERSON, name=_PERSON)),
            answers=tuple(self._platform.texts[count:]),
            seconds=seconds,
            failure=self._recorder.failure,
        )


class RecordingInterpreter:
    """An interpreter that records its first calls, or the reason for which it failed."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self.calls: tuple[ToolCall, ...] = ()
        self.failure = ""

    def clear(self) -> None:
        """Discard the record of the last message."""
        self.calls, self.failure = (), ""

    async def interpret(self, turn: Turn) -> Interpretation:
        """Interpret and record the calls.

        Raises:
            ModelUnavailable: The interpreter raised it.
        """
        try:
            interpretation = await self._interpreter.interpret(turn)
        except ModelUnavailable as error:
            self.failure = str(error)
            raise
        except asyncio.CancelledError:
            self.failure = "given up: the answer took too long"
            raise
        if not turn.steps:
            self.calls = interpretation.calls
        return interpretation


@asynccontextmanager
async def run_bot(interpreter: Interpreter) -> AsyncIterator[BotRunner]:
    """Yield a bot in memory that uses `interpreter`, at the time of `NOW` in `ZONE`."""
    router = RouterSettings(
        messages_per_minute=_MAX_MESSAGES_PER_MINUTE, chat_messages_per_minute=_MAX_MESSAGES_PER_MINUTE
    )
    settings = Settings(bot=BotSettings(timezone=ZONE), log=LogSettings(to_file=False), router=router)
    clock = StandingClock(NOW.replace(tzinfo=ZoneInfo(ZONE)))
    platform, recorder = FakePlatform(clock), RecordingInterpreter(interpreter)
    async with build_app(
        settings, platforms=[platform], interpreter=recorder, clock=clock, database=Database("sqlite://")
    ) as app:
        yield BotRunner(app, platform, recorder)
