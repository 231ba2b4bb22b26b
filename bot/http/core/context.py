"""Give the routers of the HTTP API access to the bot, its gauges and its readiness."""

import asyncio
from collections import deque
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal

from fastapi import Depends
from loguru import logger
from msgspec import Struct, field
from starlette.requests import HTTPConnection

from bot.app.application import App
from bot.config.editor import SettingsEditor
from bot.config.settings import Settings
from bot.http.core.tokens import Tokens
from bot.inbound.middleware import TokenBuckets
from bot.platforms.web.adapter import WebPlatform
from function_calls.tools.calls import Step
from services.kernel.bounded import BoundedDict
from services.kernel.clock import Clock
from services.kernel.errors import StorageBusy, StorageFull
from services.kernel.state import StateStore
from services.reminders.exchange.feed import FeedTokens
from services.reminders.lookup.finder import ReminderFinder
from services.reminders.model import row_key
from services.reminders.records import StoredReminder
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.messages.pages import MessagePages
from services.storage.records.activity import ActivityReader
from services.storage.reminders.store import SqlReminderStore

_MAX_CHANGES: Final = 5000
_MAX_CLIENT_CALLS: Final = 500
_FRAMES_PER_MINUTE: Final = 1200
_MAX_MINUTES: Final = 24 * 60
_TIMEOUT_SECONDS: Final = 2.0
_CACHE_SECONDS: Final = 5.0  # so that not every probe writes to the database
_KEY: Final = "health.ready"
_KEEP: Final = timedelta(days=1)
Reason = Literal["disk_full", "damaged", "locked", "unavailable"]
"""Why the bot is not ready."""


class Readiness:
    """Tests the database, at most once in five seconds."""

    def __init__(self, database: Database, state: StateStore, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._state = state
        self._lock = asyncio.Lock()
        self._tested_at = float("-inf")
        self._reason: Reason | None = None

    async def reason(self) -> Reason | None:
        """Return the reason why the database cannot be used, or None."""
        loop = asyncio.get_running_loop()
        async with self._lock:
            if loop.time() >= self._tested_at + _CACHE_SECONDS:
                before, self._reason = self._reason, await self._test()
                self._tested_at = loop.time()
                if self._reason != before:
                    logger.warning("readiness: {}", self._reason or "the database is writable again")
            return self._reason

    async def _test(self) -> Reason | None:
        if self._is_damaged():
            return "damaged"
        if self._database.is_disk_full:
            return "disk_full"
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                await self._state.set(_KEY, self._clock.now().isoformat(), keep=_KEEP, is_promised=True)
                await self._state.get(_KEY)
        except StorageFull:
            return "disk_full"
        except StorageBusy:
            return "locked"
        except Exception:  # noqa: BLE001 - the drivers raise different errors
            return "damaged" if self._is_damaged() else "unavailable"
        return None

    def _is_damaged(self) -> bool:
        return self._database.damage is not None


class Gauges:
    """Records the changes of the number of sockets, and the longest queue of each minute."""

    def __init__(self) -> None:
        self.sockets = 0
        self._changes: deque[tuple[datetime, int]] = deque(maxlen=_MAX_CHANGES)
        self._queues: BoundedDict[datetime, int] = BoundedDict(_MAX_MINUTES)
        self._last: tuple[datetime, int] | None = None

    def add_socket(self, at: datetime) -> None:
        """Count a new socket."""
        self.sockets += 1
        self._changes.append((at, self.sockets))

    def remove_socket(self, at: datetime) -> None:
        """Count a closed socket."""
        self.sockets -= 1
        self._changes.append((at, self.sockets))

    def record_queue(self, at: datetime, frames: int) -> None:
        """Record the number of frames that wait for a socket."""
        self._last = (at, frames)
        minute = at.replace(second=0, microsecond=0)
        self._queues[minute] = max(frames, self._queues.get(minute, 0))

    def sockets_until(self, end: datetime) -> int:
        """Return the number of sockets that were open just before `end`."""
        return next((count for at, count in reversed(self._changes) if at < end), 0)

    def queue_between(self, start: datetime, end: datetime) -> int:
        """Return the longest queue of a socket in a period."""
        return max((frames for minute, frames in self._queues.items() if start <= minute < end), default=0)

    def queue_since(self, start: datetime) -> int:
        """Return the last recorded queue of a socket; 0 if there was none since `start`."""
        return self._last[1] if self._last is not None and self._last[0] >= start else 0


class HttpContext(Struct, frozen=True, kw_only=True):
    """The bot and its stores, for the routes.

    `app` has the call router, the services, the stores and the platforms; `room` is the web platform.
    `frame_rate` limits the frames of a person in all tabs. `membership_lock` is held while the rooms of a person are
    changed. `editor` is None if settings cannot be changed.
    `client_rounds` are the rounds of the bot before each call of an OpenAI client, which does not send them back.
    """

    settings: Settings
    clock: Clock
    app: App
    database: Database
    state: StateStore
    room: WebPlatform
    tokens: Tokens
    feeds: FeedTokens
    messages: MessagePages
    activity: ActivityReader
    reminders: SqlReminderStore
    finder: ReminderFinder
    gauges: Gauges
    readiness: Readiness
    frame_rate: TokenBuckets
    started_at: datetime
    editor: SettingsEditor | None = None
    membership_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    client_rounds: BoundedDict[str, tuple[Step, ...]] = field(default_factory=lambda: BoundedDict(_MAX_CLIENT_CALLS))

    @classmethod
    def of(
        cls, app: App, room: WebPlatform, settings: Settings, clock: Clock, editor: SettingsEditor | None = None
    ) -> "HttpContext":
        """Create the context of a running bot."""
        stores = app.infrastructure
        database, state = stores.database, stores.state_store
        tokens = Tokens(state, clock, settings.http.token.get_secret_value())
        return cls(
            settings=settings,
            clock=clock,
            app=app,
            database=database,
            state=state,
            room=room,
            tokens=tokens,
            feeds=FeedTokens(state, tokens.is_current),
            messages=MessagePages(database),
            activity=ActivityReader(database),
            reminders=stores.reminder_store,
            finder=app.services.get(ReminderService).finder,
            gauges=Gauges(),
            readiness=Readiness(database, state, clock),
            frame_rate=TokenBuckets(_FRAMES_PER_MINUTE, clock),
            started_at=clock.now(),
            editor=editor,
        )

    async def find_reminder(self, reminder_id: str) -> StoredReminder | None:
        """Return the stored reminder with a public id, or None."""
        key = row_key(reminder_id)
        return None if key is None else await self.reminders.get(key)


async def context_of(connection: HTTPConnection) -> HttpContext:
    """Return the context of the application that serves `connection`."""
    context: HttpContext = connection.app.state.context
    return context


Context = Annotated[HttpContext, Depends(context_of)]
"""The parameter of a route for the context."""
