"""Adapter of a scorer of group conversations: runs the bot in memory and in simulated time.

The scorer calls `open(start, zone, language)` and then `say` for each message; reminders fire while time passes. The
bot has no language model unless a `Session` gets an interpreter.
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
"""Regular expressions of the help text for messages that were not understood; it does not count as an answer."""

_MAX_OCCURRENCES = 60
_DEFAULT_ZONE = "UTC"


class Session:
    """One group chat and the private chats of its members, with a new bot that uses the rules or `interpreter`."""

    def __init__(self, start: datetime, zone: str, language: str, interpreter: Interpreter | None = None) -> None:
        self._interpreter = interpreter
        self._zone = zone or _DEFAULT_ZONE
        self._start = start if start.tzinfo else start.replace(tzinfo=ZoneInfo(self._zone))
        self._language = language if language in {"zh", "es"} else "en"
        self._loop = looptime.new_event_loop(start=0, idle_timeout=None)
        self._people: set[str] = set()
        self._chats: dict[str, ChatAddress] = {}
        self._message_count = 0
        self._answer_ids: list[str] = []
        self._commands: asyncio.Queue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = asyncio.Queue()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._task = self._loop.create_task(self._run())
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
        """Advance the clock, send `text`, and return the replies of the bot and the reminders that are open then.

        `reply_to` is the number (from 0) of the message to whose answer this is a reply, or "last" for the last message
        of the bot.
        """
        answer: dict[str, object] = self._submit(lambda: self._say(sender, text, seconds_later, private, reply_to))
        return answer

    def _submit(self, action: Callable[[], Any]) -> Any:
        result: asyncio.Future[Any] = self._loop.create_future()
        self._commands.put_nowait((action, result))
        return self._loop.run_until_complete(result)

    async def _run(self) -> None:
        # The task groups of the bot must be entered and left by the same task.
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
                    action, result = command
                    try:
                        result.set_result(await action())
                    except Exception as error:  # noqa: BLE001 - raised again in `_submit`
                        result.set_exception(error)
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
                return
            raise

    async def _say(
        self, sender: str, text: str, seconds_later: float, private: bool, reply_to: int | str | None
    ) -> dict[str, object]:
        await asyncio.sleep(max(0.0, seconds_later))
        self._message_count += 1
        self._people.add(sender)
        before = len(self._platform.sent)
        address = ChatAddress(
            platform=self._platform.name, chat_id=f"private-{_make_id(sender)}" if private else "home"
        )
        self._chats[address.key] = address
        replied_id = self._find_answer(reply_to)
        everybody = [_make_person(name) for name in sorted(self._people)]
        message = ChatMessage(
            id=f"message-{self._message_count}",
            address=address,
            sender=_make_person(sender),
            text=text,
            sent_at=self._clock.now(),
            is_addressed=private or replied_id is not None or is_called(text, "Bubbles"),
            is_private=private,
            reply_to=replied_id,
            mentions=find_mentioned(text, everybody),
        )
        await self._platform.handle(message)
        replies = [
            (sent_id, outgoing.text)
            for (_, outgoing), sent_id in zip(
                self._platform.sent[before:], self._platform.sent_ids[before:], strict=False
            )
            if not outgoing.notices  # a due reminder is not an answer
        ]
        self._answer_ids.append(replies[-1][0] if replies else "")
        return {"replies": [text for _, text in replies], "reminders": await self._list_reminders()}

    def _find_answer(self, reply_to: int | str | None) -> str | None:
        if reply_to is None:
            return None
        if reply_to == "last":
            return self._platform.sent_ids[-1] if self._platform.sent_ids else None
        number = int(reply_to)
        return (self._answer_ids[number] or None) if 0 <= number < len(self._answer_ids) else None

    async def _list_reminders(self) -> list[dict[str, object]]:
        service = self._app.services.get(ReminderService)
        found: list[dict[str, object]] = []
        for address in self._chats.values():
            found.extend(self._describe(each) for each in await service.open_in(address))
        return found

    def _describe(self, reminder: Reminder) -> dict[str, object]:
        rule = reminder.schedule.rule
        now = self._clock.now()
        is_paused = reminder.state is ReminderState.PAUSED
        # Without follow-ups, which belong to a single occurrence.
        schedule = type(reminder.schedule)(start=reminder.schedule.start, zone=reminder.schedule.zone, rule=rule)
        occurrences = list(islice(next_fires(schedule, now, _MAX_OCCURRENCES), _MAX_OCCURRENCES))
        coming = list(reminder.next_fires) or occurrences
        return {
            "id": reminder.id,
            "content": reminder.content,
            "next": coming[0].isoformat() if coming and not is_paused else None,
            "rrule": None if rule is None else str(rule),
            "occurrences": [each.isoformat() for each in occurrences],
            "for": _list_recipients(reminder),
            "creator": reminder.creator.name,
            "paused": is_paused,
            "nag": reminder.schedule.follow_up is not None,
        }


def open(start: datetime, zone: str, language: str) -> Session:  # noqa: A001 - the scorer requires this name
    """Start a new bot in a new chat, with its clock at `start`."""
    return Session(start, zone, language)


def _list_recipients(reminder: Reminder) -> list[str]:
    return ["everyone" if each.id == EVERYONE else each.name for each in reminder.recipients]


def _make_id(name: str) -> str:
    return re.sub(r"\s+", "-", name.lower())


def _make_person(name: str) -> Person:
    return Person(id=name.lower(), name=name)
