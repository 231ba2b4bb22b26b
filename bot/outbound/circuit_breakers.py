"""Stop sending to a platform that does not answer, by a circuit breaker per platform."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from loguru import logger

from services.kernel.chat import ChatAddress
from services.kernel.errors import DeliveryFailed
from services.kernel.network import CircuitBreaker

_HANG_SECONDS = 30.0
"""A send that is cancelled after this time counts as a failure of the platform."""


class CircuitBreakers:
    """A circuit breaker for each platform.

    It opens when messages to `chats` different chats fail without a success between them. After `cooldown` seconds it
    admits one message at a time until one succeeds. Failures of a single chat are not counted; a refusal counts as an
    answer.
    """

    def __init__(self, *, chats: int = 3, cooldown: float = 10.0) -> None:
        self._cooldown = cooldown
        self._breakers = defaultdict[str, CircuitBreaker](partial(CircuitBreaker, failures=chats, cooldown=cooldown))
        self._failing = defaultdict[str, set[str]](set)

    @contextmanager
    def guard(self, address: ChatAddress) -> Iterator[None]:
        """Guard the sending of a message.

        Raises:
            DeliveryFailed: the circuit breaker is open; nothing was sent.
        """
        breaker = self._breakers[address.platform]
        if not breaker.admits():
            raise DeliveryFailed(f"{address.platform} does not answer", retry_after=self._cooldown)
        loop = asyncio.get_running_loop()
        start = loop.time()
        try:
            yield
        except DeliveryFailed as failure:
            if failure.is_of_chat:
                breaker.abandoned()
            elif failure.is_permanent or failure.retry_after:
                self._record_answer(address)
            else:
                self._record_failure(address)
            raise
        except asyncio.CancelledError:
            if loop.time() - start < _HANG_SECONDS:
                breaker.abandoned()
            else:
                self._record_failure(address)
            raise
        except BaseException:
            breaker.abandoned()
            raise
        self._record_answer(address)

    def _record_answer(self, address: ChatAddress) -> None:
        breaker = self._breakers[address.platform]
        if breaker.is_open:
            logger.info("circuit breaker of {} closed", address.platform)
        self._failing[address.platform].clear()
        breaker.succeeded()

    def _record_failure(self, address: ChatAddress) -> None:
        breaker, failing = self._breakers[address.platform], self._failing[address.platform]
        was_open = breaker.is_open
        if address.key in failing and not was_open:
            return
        failing.add(address.key)
        breaker.failed()
        if breaker.is_open and not was_open:
            logger.warning("circuit breaker of {} opened; probing with one message at a time", address.platform)
