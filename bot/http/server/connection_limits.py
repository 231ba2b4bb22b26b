"""Limit the number of HTTP connections and the time that a request may take to arrive.

Uvicorn limits neither: a client that opens connections and sends half a request keeps each of them for ever, until the
process has no file descriptor left for its database, its chat platforms and its log.
"""

import asyncio
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Final, Literal

from loguru import logger
from msgspec import Struct
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from bot.config.settings import HttpSettings
from bot.http.security.networks import network_of
from services.kernel.bounded import RepeatLimit

try:
    import resource
except ImportError:  # Windows does not limit the open files of a process
    _ARE_FILES_LIMITED = False
else:
    _ARE_FILES_LIMITED = True

_RESERVED_FILES: Final = 256  # for the database, chat platforms, tool servers, uploads and logs
_REPORT_SECONDS: Final = 60.0


class ConnectionLimits(Struct, frozen=True, kw_only=True):
    """Number of connections `in_all` and `per_address`, and the time for a request to arrive.

    The head of a request has `head_seconds`. Its body has `body_seconds` and one second more for each
    `body_bytes_per_second` received, so that a large file over a slow line is accepted and single bytes are not.
    """

    in_all: int
    per_address: int
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    body_bytes_per_second: int = 5_000

    @classmethod
    def of(cls, settings: HttpSettings) -> "ConnectionLimits":
        """Read the limits of the settings, lowered where the system allows this process fewer open files."""
        in_all = settings.max_connections
        if _ARE_FILES_LIMITED:
            open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
            in_all = min(in_all, open_files - min(_RESERVED_FILES, open_files // 2))
            if in_all < settings.max_connections:
                logger.warning(
                    "http.max_connections is {}, reduced to {}: this process may open {} files (ulimit -n)",
                    settings.max_connections,
                    in_all,
                    open_files,
                )
        return cls(in_all=in_all, per_address=settings.max_connections_per_address)


def raise_file_limit() -> None:
    """Raise the limit of open files of this process to the maximum (RLIMIT_NOFILE: the soft limit to the hard one)."""
    if not _ARE_FILES_LIMITED:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == hard:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError) as error:  # macOS names a hard limit that it does not allow
        logger.warning("the limit of open files stays at {} (ulimit -n): {}", soft, error)


class LimitedProtocol(H11Protocol):
    """Uvicorn's HTTP protocol with deadlines for requests and with `limits` for connections.

    At a limit, the connection that has waited longest without a complete request is closed, so that half-open
    connections never block new ones; if all are busy, the new one is closed.
    """

    def __init__(self, limits: ConnectionLimits, reports: RepeatLimit, **uvicorn: Any) -> None:
        super().__init__(**uvicorn)
        self._limits = limits
        self._reports = reports
        self._phase: Literal["head", "body"] | None = None
        self._since = 0.0
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in Uvicorn
        """Start the timer of the first request, and close a connection if there are too many."""
        super().connection_made(transport)
        self._begin("head")
        self._make_room(self.connections, self._limits.in_all, "http.max_connections")
        neighbours = [each for each in self.connections if _network(each) == _network(self)]
        self._make_room(neighbours, self._limits.per_address, "http.max_connections_per_address")

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle received data, and update the phase of the request."""
        self._bytes += len(data)
        super().data_received(data)
        self._update_phase()

    def on_response_complete(self) -> None:
        """Update the phase for a request that was received while the last one was answered."""
        super().on_response_complete()
        if self._open_request is not None:
            self._update_phase()

    def _update_phase(self) -> None:
        if self.transport.get_protocol() is not self:  # a WebSocket now
            self._stop_timer()
        elif self._open_request is None:
            self._begin("head")
        elif self._open_request.more_body:
            self._begin("body")
        else:
            self._stop_timer()

    def drop(self, reason: str) -> None:
        """Close the connection at once, and log `reason`, for all connections of a minute in one line."""
        self._stop_timer()
        self.connections.discard(self)
        self.transport.abort()
        count = self._reports.count_omitted(reason, self.loop.time())
        if count is not None:
            logger.warning("HTTP connection closed: {}; {} more since the last such line", reason, count)

    @property
    def is_busy(self) -> bool:
        """Return whether a complete request is being answered."""
        return self._open_request is not None and not self._open_request.more_body

    @property
    def age_rank(self) -> tuple[bool, float]:
        """Return the order in which connections are closed: incomplete requests, then idle ones, the oldest first."""
        return self._phase is None, self._since

    @property
    def _open_request(self) -> RequestResponseCycle | None:
        """Return the request whose head was received and whose response is not complete."""
        cycle: RequestResponseCycle | None = self.cycle
        return None if cycle is None or cycle.response_complete else cycle

    def _make_room(self, among: Collection[Any], limit: int, setting: str) -> None:
        """Close a connection if `among` are more than `limit`, which the log calls `setting`."""
        if len(among) > limit:
            others = [each for each in among if isinstance(each, LimitedProtocol) and each is not self]
            waiting = [each for each in others if not each.is_busy]
            min(waiting, key=lambda each: each.age_rank, default=self).drop(f"more than {limit} ({setting})")

    def _begin(self, phase: Literal["head", "body"]) -> None:
        if phase != self._phase:
            self._stop_timer()
            self._phase, self._bytes = phase, 0
            self._timer = self.loop.call_later(self._seconds, self._check)

    def _stop_timer(self) -> None:
        self._phase, self._since = None, self.loop.time()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def _seconds(self) -> float:
        if self._phase == "head":
            return self._limits.head_seconds
        return self._limits.body_seconds + self._bytes / self._limits.body_bytes_per_second

    def _check(self) -> None:
        left = self._since + self._seconds - self.loop.time()
        if self._phase == "body" and self.flow.read_paused:  # the bot has not read the received data
            left = max(left, self._limits.body_seconds)
        if left > 0:
            self._timer = self.loop.call_later(left, self._check)
        else:
            self.drop(f"the {self._phase} of a request did not arrive in time")


def limited_protocol(limits: ConnectionLimits) -> Callable[..., asyncio.Protocol]:
    """Return a factory of protocols with `limits`, for Uvicorn's setting `http`."""
    return partial(LimitedProtocol, limits, RepeatLimit(_REPORT_SECONDS))


def _network(connection: Any) -> str:
    return "" if connection.client is None else network_of(connection.client[0])
