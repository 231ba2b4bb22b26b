"""Maintain a connection: reconnect with backoff and jitter, report its health, and match answers to requests."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from loguru import logger
from msgspec.structs import replace

from bot.platforms.base import Health, HealthState, Receive
from function_calls.language.messages import Message
from services.kernel.background_tasks import run_beside, run_until
from services.kernel.chat import Incoming
from services.kernel.clock import Clock
from services.kernel.errors import AssistantError, DeliveryFailed, StorageBusy, StorageUnavailable
from services.kernel.network import growing_pauses

if TYPE_CHECKING:
    from aiohttp.web import UrlDispatcher

_FIRST_PAUSE_SECONDS: Final = 1.0
MAX_PAUSE: Final = timedelta(minutes=2)
_MAX_BODY_BYTES: Final = 4 * 1024**2
# A shorter connection does not reset the pauses between attempts.
_STEADY: Final = timedelta(seconds=30)

T = TypeVar("T")
Session = Callable[[], Coroutine[object, object, None]]
Probe = Callable[[], Awaitable[None]]


class ConnectionEnded(AssistantError):
    """The connection ended and will be opened again after `retry_after`, if the server asks for a pause (seconds)."""

    def __init__(self, reason: Message | str, *, retry_after: float | None = None) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.retry_after = retry_after


class ConnectionRefusedForGood(AssistantError):
    """The operator must act, for example because of a wrong password; a retry would not help."""

    def __init__(self, reason: Message | str) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Connection:
    """One connection of a platform.

    After `stale_after` without received data the state of a live connection is `deaf`; None disables this. After half
    of it `probe` requests an answer, so that the connection of a quiet chat does not become stale. A connection that
    has been stale for `reconnect_after`, by default as long again, is opened again.
    """

    def __init__(
        self,
        name: str,
        clock: Clock,
        *,
        stale_after: timedelta | None = None,
        reconnect_after: timedelta | None = None,
        probe: Probe | None = None,
        max_pause: timedelta = MAX_PAUSE,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._name = name
        self._clock = clock
        self._stale_after = stale_after
        self._reconnect_after = reconnect_after
        self._probe = probe
        self._new_pauses = partial(growing_pauses, _FIRST_PAUSE_SECONDS, max_pause.total_seconds())
        self._pauses = self._new_pauses()
        self._chance = chance
        self._reconnects = 0
        self._received_at = clock.now()
        self._is_live = asyncio.Event()
        self._health = Health(state="connecting", since=clock.now())

    @property
    def health(self) -> Health:
        """Return the state of the connection."""
        return replace(self._health, reconnects=self._reconnects)

    def note_received(self) -> None:
        """Record received data: the connection is live; after half a minute the pauses are reset."""
        self._received_at = self._clock.now()
        if self._health.state == "live" and self._received_at - self._health.since >= _STEADY:
            self._pauses = self._new_pauses()
        self._is_live.set()
        self._set_state("live")

    def note_interrupted(self, detail: str) -> None:
        """Record that the library lost the connection and reconnects within the session, until `note_received`."""
        if self._health.state in {"live", "deaf"}:
            self._reconnects += 1
            self._note_loss(detail)

    async def run(self, session: Session) -> None:
        """Run `session`, which lasts as long as its connection, repeatedly until cancelled.

        Raises:
            ConnectionRefusedForGood: the session raised it.
        """
        try:
            while True:
                self._is_live.clear()
                self._set_state("connecting", self._health.detail)
                wish = await self._run_session(session)
                pause = next(self._pauses) * (0.5 + self._chance() / 2) if wish is None else wish  # half is random
                logger.bind(platform=self._name).info("reconnecting in {:.1f} s", pause)
                await self._clock.nap(pause)
                self._reconnects += 1
        finally:
            self._is_live.clear()
            self._set_state("stopped", self._health.detail)

    async def _run_session(self, session: Session) -> float | None:
        """Run one session to its end; return the pause that the server asks for, in seconds."""
        try:
            has_ended = await run_until(session(), self._watch(), f"{self._name} session")
        except ConnectionRefusedForGood as refusal:
            self._set_state("stopped", refusal.reason)
            raise
        except ConnectionEnded as end:
            self._note_loss(end.reason)
            return end.retry_after
        except (OSError, EOFError, StorageBusy, StorageUnavailable) as error:  # TimeoutError is an OSError
            self._note_loss(f"{type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001 - a platform must not stay silent because one session failed
            logger.bind(platform=self._name).opt(exception=error).error("connection failed")
            self._note_loss(f"{type(error).__name__}: {error}")
        else:
            self._note_loss(Message("connection.closed" if has_ended else "connection.stale"))
        return None

    async def _watch(self) -> None:
        """Return when the connection has been stale for too long."""
        if self._stale_after is None:
            await asyncio.Event().wait()
            return
        limit = self._stale_after.total_seconds()
        end = limit + (self._reconnect_after or self._stale_after).total_seconds()
        await self._is_live.wait()
        asked_at = None
        while (silence := (self._clock.now() - self._received_at).total_seconds()) < end:
            if silence < 0:  # the clock was set back
                self._received_at = self._clock.now()
                continue
            if silence >= limit:
                if self._health.state == "live":
                    logger.bind(platform=self._name).warning("stale connection: nothing received for {:.0f} s", silence)
                    self._set_state("deaf", Message("connection.silent", {"seconds": round(silence)}))
            elif silence >= limit / 2 and asked_at != self._received_at:
                asked_at = self._received_at
                await self._run_probe(limit / 2)
                continue
            await self._clock.nap(next(mark for mark in (limit / 2, limit, end) if silence < mark) - silence)

    async def _run_probe(self, seconds: float) -> None:
        if self._probe is None:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._probe()
        except (OSError, AssistantError) as error:  # TimeoutError is an OSError
            logger.bind(platform=self._name).debug("liveness check failed: {}", error)

    def _note_loss(self, detail: Message | str) -> None:
        logger.bind(platform=self._name).warning("connection lost: {}", detail)
        self._set_state("connecting", detail)

    def _set_state(self, state: HealthState, detail: Message | str = "") -> None:
        if state != self._health.state or (detail and detail != self._health.detail):
            since = self._clock.now() if state != self._health.state else self._health.since
            self._health = Health(state=state, since=since, detail=detail)


class Backlog:
    """A queue of received events that survives reconnections while the database is unavailable."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Incoming] = asyncio.Queue()
        self._next: Incoming | None = None

    def put(self, incoming: Incoming) -> None:
        """Append `incoming`."""
        self._waiting.put_nowait(incoming)

    @asynccontextmanager
    async def forward(self, receive: Receive) -> AsyncIterator[None]:
        """Pass messages to `receive`, one at a time, for as long as the context lasts."""
        async with run_beside(self._forward(receive), "backlog"):
            yield

    async def _forward(self, receive: Receive) -> None:
        while True:
            self._next = self._next or await self._waiting.get()
            try:
                await receive(self._next)
            except Exception as error:  # noqa: BLE001 - one event must not end the reception of all others
                logger.bind(chat=str(self._next.address)).opt(exception=error).error("could not receive an event")
            self._next = None  # not before: a connection that ends meanwhile must not lose it


class PendingAnswers(Generic[T]):
    """The answers that a connection waits for, by key; late answers are dropped."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[T]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    @asynccontextmanager
    async def expect(self, key: str, seconds: float, failure: str) -> AsyncIterator[asyncio.Future[T]]:
        """Yield the future of an answer, which is requested and awaited within the context.

        Raises:
            DeliveryFailed: none came within `seconds`; whether the request was carried out is unknown.
        """
        self._waiting[key] = answer = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(seconds):
                yield answer
        except TimeoutError as error:
            raise DeliveryFailed(failure, is_unknown=True) from error
        finally:
            del self._waiting[key]

    def resolve(self, key: str, answer: T) -> None:
        """Complete the wait for `key`."""
        waiting = self._waiting.get(key)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def refuse(self, key: str, reason: str) -> None:
        """Fail the wait of `key` for good."""
        self._fail(key, DeliveryFailed(reason, is_permanent=True))

    def refuse_all(self, reason: str) -> None:
        """Fail all waits for good."""
        for key in self._waiting:
            self.refuse(key, reason)

    def lose_all(self, reason: str) -> None:
        """Fail all waits because the connection is gone: their outcome is unknown."""
        for key in self._waiting:
            self._fail(key, DeliveryFailed(reason, is_unknown=True))

    def _fail(self, key: str, failure: DeliveryFailed) -> None:
        waiting = self._waiting.get(key)
        if waiting is not None and not waiting.done():
            waiting.set_exception(failure)


@asynccontextmanager
async def listen(routes: Callable[["UrlDispatcher"], object], host: str, port: int) -> AsyncIterator[int]:
    """Serve `routes` over HTTP until the context ends; yield the port."""
    from aiohttp import web  # only platforms with webhooks need it

    app = web.Application(client_max_size=_MAX_BODY_BYTES)
    routes(app.router)
    runner = web.AppRunner(app, shutdown_timeout=1.0, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
