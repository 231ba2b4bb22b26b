"""Base class of adapters with one connection, and the dependencies of their factories."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from msgspec import Struct
from pydantic import SecretStr

from bot.config.field_errors import SettingInvalid
from bot.config.fields import Group
from bot.config.settings import Settings
from bot.platforms.base import Health, Receive
from bot.platforms.kit.connection import Connection, ConnectionEnded, ConnectionRefusedForGood
from function_calls.language.messages import Message
from services.kernel.chat import Incoming
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

G = TypeVar("G", bound=Group)


class PlatformParts(Struct, frozen=True, kw_only=True):
    """Dependencies that `create(parts)` of an adapter is given."""

    settings: Settings
    clock: Clock

    @property
    def bot_name(self) -> str:
        """The name that people call the bot by."""
        return self.settings.bot.name

    def group(self, platform: str, model: type[G], *required: str, hint: str = "") -> G:
        """Return the settings of a platform; those named in `required` must not be empty.

        `hint` is the name of a message (`setting.<name>`) or text.

        Raises:
            ConfigError: a required setting is empty.
        """
        group = self.settings.platforms.group(platform, model)
        for key in required:
            value = getattr(group, key)
            if not (value.get_secret_value() if isinstance(value, SecretStr) else value):
                raise SettingInvalid("settings", f"platforms.{platform}.{key}", hint)
        return group


class NetworkPlatform(ABC):
    """An adapter with one connection to a network, which `_session` opens and serves until it ends."""

    def __init__(self, clock: Clock, bot_name: str, connection: Connection) -> None:
        self._clock = clock
        self._bot_name = bot_name
        self._connection = connection
        self._receive: Receive | None = None

    @property
    def health(self) -> Health:
        """Return the state of the connection."""
        return self._connection.health

    async def run(self, receive: Receive) -> None:
        """Receive events until cancelled."""
        self._receive = receive
        try:
            await self._connection.run(self._session)
        finally:
            await self._close()

    @abstractmethod
    async def _session(self) -> None:
        """Connect, and receive until the connection ends."""

    async def _close(self) -> None:  # noqa: B027 - most adapters have nothing to close
        """Release the resources that outlive a session."""

    async def _deliver(self, incoming: Incoming | None) -> Awaitable[object] | None:
        """Return once `incoming` is recorded, with an awaitable that ends when it is handled; None is ignored."""
        if incoming is None or self._receive is None:
            return None
        return await self._receive(incoming)


@contextmanager
def ends_connection(hint: Message) -> Iterator[None]:
    """End the connection when a request fails: for good, with the `hint` for the operator, if it is permanent.

    Raises:
        ConnectionEnded: the request failed; `retry_after` is the wait that the server asked for.
        ConnectionRefusedForGood: the platform refused the request.
    """
    try:
        yield
    except DeliveryFailed as failure:
        if failure.is_permanent:
            reason = Message("connection.refused", {"reason": str(failure), "hint": hint})
            raise ConnectionRefusedForGood(reason) from failure
        raise ConnectionEnded(str(failure), retry_after=failure.retry_after) from failure
