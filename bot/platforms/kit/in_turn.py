"""Send the pieces of one message in order, so that a retry does not repeat the first ones."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

_LONGEST_PATIENCE_SECONDS: Final = 60.0
_ATTEMPTS: Final = 3

Sending = Callable[[], Awaitable[str | None]]


async def send_in_turn(sendings: Iterable[Sending], clock: Clock) -> str | None:
    """Do all `sendings`, one after the other, and return what the first one gave: the id of the message.

    Once the first piece is out, patience that the platform asks for is kept here.

    Raises:
        DeliveryFailed: the first piece was not taken, or a later one for good; then the message is partly out, and
            its fate `is_unknown`.
    """
    first: str | None = None
    for number, sending in enumerate(sendings):
        if number == 0:
            first = await sending()
        else:
            await _patiently(sending, clock)
    return first


async def _patiently(sending: Sending, clock: Clock) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            await sending()
        except DeliveryFailed as failure:
            wish = failure.retry_after
            if wish is None or wish > _LONGEST_PATIENCE_SECONDS or attempt == _ATTEMPTS:
                raise DeliveryFailed(f"only the beginning was taken: {failure}", is_unknown=True) from failure
            await clock.nap(wish)
        else:
            return
