"""Adapter between a scorer of group conversations and a bot in memory and in simulated time, by default without model.

The scorer calls `open(start, zone, language)` and then `say` for each message; reminders fire while time passes.
"""

import asyncio
import contextlib
import re
from collections.abc import Callable
from datetime import datetime
from itertools import islice
from types import TracebackType
from typing import Any, Self
from zoneinfo import ZoneInfo

import looptime
from loguru import logger

from bot.app.application import App
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.platforms.base import Capabilities
from bot.platforms.kit.events import is_called
from bot.platforms.kit.markdown import find_mentioned
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import Interpreter
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.recurrence.fires import next_fires
from services.reminders.model import EVERYONE, Reminder, ReminderState
from services.reminders.service import ReminderService

logger.remove()

CANNED = (
    r"^I can remind, search and sum up\.",
    r"^我会提醒、搜索、总结。",
)
"""Regular expressions of the help that is given to what was not understood; it counts as no answer."""

_OCCURRENCES = 60
_LONG_AGO_ZONE = "UTC"


class Session:
    """One group chat, with private chats of its people, and one new bot with the rules or `interpreter`."""

    def __init__(self, start: datetime, zone: str, language: str, interpreter: Interpreter | None = None) -> None:
        self._interpreter = interpreter
        self._zone = zone or _LONG_AGO_ZONE
        self._start = start if start.tzinfo else start.replace(tzinfo=ZoneInfo(self._zone))
        self._language = language if language in {"zh", "es"} else "en"
        self._loop = looptime.new_event_loop(start=0, idle_timeout=None)
        self._people: set[str] = set()
        self._chats: dict[str, ChatAddress] = {}
        self._count = 0
        self._said: list[str] = []
        self._commands: asyncio.Queue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = asyncio.Queue()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._task = self._loop.create_task(self._live())
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._ready)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Stop the bot."""
        if self._loop.is_closed():
            return
        self._commands.put_nowait(None)
        with contextlib.suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._task)
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()
        asyncio.set_event_loop(None)

    def say(
        self,
        sender: str,
        text: str,
        *,
        seconds_later: float = 20,
        private: bool = False,
        reply_to: int | str | None = None,
    ) -> dict[str, object]:
        """Let time pass (reminders fire), then say `text` and return what the bot answered and what is set now.

        `reply_to` is the number (from 0) of the message of this conversation whose answer is replied to, or "last".
        """
        answer: dict[str, object] = self._do(lambda: self._say(sender, text, seconds_later, private, reply_to))
        return answer

    def _do(self, make: Callable[[], Any]) -> Any:
        done: asyncio.Future[Any] = self._loop.create_future()
        self._commands.put_nowait((make, done))
        return self._loop.run_until_complete(done)

    async def _live(self) -> None:
        # One task enters and leaves the bot, as its task groups require.
        try:
            settings = Settings(
                bot=BotSettings.model_validate({"timezone": self._zone, "language": self._language}),
                log=LogSettings(to_file=False),
            )
            clock = LoopClock(self._start)
            clock.now()
            self._clock = clock
            self._platform = FakePlatform(clock)
            self._platform.capabilities = Capabilities(takes_idempotency_key=True)
            async with build_in_memory(
                settings, clock=clock, platforms=[self._platform], interpreter=self._interpreter
            ) as app:
                self._app: App = app
                await asyncio.sleep(0)
                self._ready.set_result(None)
                while (command := await self._commands.get()) is not None:
                    make, done = command
                    try:
                        done.set_result(await make())
                    except Exception as error:  # noqa: BLE001 - the one who asked is told
                        done.set_exception(error)
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
                return
            raise

    async def _say(
        self, sender: str, text: str, seconds_later: float, private: bool, reply_to: int | str | None
    ) -> dict[str, object]:
        await asyncio.sleep(max(0.0, seconds_later))
        self._count += 1
        self._people.add(sender)
        before = len(self._platform.sent)
        address = ChatAddress(platform=self._platform.name, chat_id=f"private-{_id(sender)}" if private else "home")
        self._chats[address.key] = address
        answered = self._answer_to(reply_to)
        everybody = [_person(name) for name in sorted(self._people)]
        message = ChatMessage(
            id=f"message-{self._count}",
            address=address,
            sender=_person(sender),
            text=text,
            sent_at=self._clock.now(),
            is_addressed=private or answered is not None or is_called(text, "Bubbles"),
            is_private=private,
            reply_to=answered,
            mentions=find_mentioned(text, everybody),
        )
        await self._platform.handle(message)
        replies = [
            (sent_id, outgoing.text)
            for (where, outgoing), sent_id in zip(
                self._platform.sent[before:], self._platform.sent_ids[before:], strict=False
            )
            if not outgoing.notices  # a due reminder is no answer
        ]
        self._said.append(replies[-1][0] if replies else "")
        return {"replies": [said for _, said in replies], "reminders": await self._reminders()}

    def _answer_to(self, reply_to: int | str | None) -> str | None:
        if reply_to is None:
            return None
        if reply_to == "last":
            return self._platform.sent_ids[-1] if self._platform.sent_ids else None
        number = int(reply_to)
        return (self._said[number] or None) if 0 <= number < len(self._said) else None

    async def _reminders(self) -> list[dict[str, object]]:
        service = self._app.services.get(ReminderService)
        listed: list[dict[str, object]] = []
        for address in self._chats.values():
            listed.extend(self._as_data(each) for each in await service.open_in(address))
        return listed

    def _as_data(self, reminder: Reminder) -> dict[str, object]:
        rule = reminder.schedule.rule
        now = self._clock.now()
        is_paused = reminder.state is ReminderState.PAUSED
        # Without follow-ups: they belong to one occurrence.
        bare = type(reminder.schedule)(start=reminder.schedule.start, zone=reminder.schedule.zone, rule=rule)
        own = list(islice(next_fires(bare, now, _OCCURRENCES), _OCCURRENCES))
        coming = list(reminder.next_fires) or own
        return {
            "id": reminder.id,
            "content": reminder.content,
            "next": coming[0].isoformat() if coming and not is_paused else None,
            "rrule": None if rule is None else str(rule),
            "occurrences": [each.isoformat() for each in own],
            "for": _people_of(reminder),
            "creator": reminder.creator.name,
            "paused": is_paused,
            "nag": reminder.schedule.follow_up is not None,
        }


def open(start: datetime, zone: str, language: str) -> Session:  # noqa: A001 - the name that the contract gives it
    """Start a new bot at `start` in a new chat."""
    return Session(start, zone, language)


def _people_of(reminder: Reminder) -> list[str]:
    return ["everyone" if each.id == EVERYONE else each.name for each in reminder.recipients]


def _id(name: str) -> str:
    return re.sub(r"\s+", "-", name.lower())


def _person(name: str) -> Person:
    return Person(id=name.lower(), name=name)
