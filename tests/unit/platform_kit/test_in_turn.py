"""Long messages sent in pieces."""

from datetime import UTC, datetime

import pytest

from bot.platforms.kit.pieces import send_in_order
from bot.testing.clocks import FixedClock
from services.kernel.errors import DeliveryFailed

NOW = datetime(2026, 11, 20, tzinfo=UTC)


class Line:
    """Takes pieces, unless it is told what to raise instead."""

    def __init__(self, *failures: DeliveryFailed | None) -> None:
        self.taken: list[str] = []
        self._failures = list(failures)

    def piece(self, text: str):
        async def send():
            failure = self._failures.pop(0) if self._failures else None
            if failure is not None:
                raise failure
            self.taken.append(text)
            return f"id of {text}"

        return send


async def test_the_message_has_the_id_of_its_first_piece():
    line = Line()

    assert await send_in_order([line.piece("a"), line.piece("b")], FixedClock(NOW)) == "id of a"
    assert line.taken == ["a", "b"]


async def test_a_refused_first_piece_is_a_refused_message():
    line = Line(DeliveryFailed("busy", retry_after=7))

    with pytest.raises(DeliveryFailed) as failure:
        await send_in_order([line.piece("a"), line.piece("b")], FixedClock(NOW))

    assert (failure.value.retry_after, failure.value.is_unknown, line.taken) == (7, False, [])


async def test_wait_between_pieces_is_kept_so_that_nothing_is_sent_twice():
    line, clock = Line(None, DeliveryFailed("busy", retry_after=7)), FixedClock(NOW)

    await send_in_order([line.piece("a"), line.piece("b")], clock)

    assert line.taken == ["a", "b"]
    assert (clock.now() - NOW).total_seconds() == 7


async def test_a_message_of_which_only_the_beginning_is_out_is_not_tried_again_blindly():
    line = Line(None, DeliveryFailed("removed", is_permanent=True))

    with pytest.raises(DeliveryFailed) as failure:
        await send_in_order([line.piece("a"), line.piece("b")], FixedClock(NOW))

    assert failure.value.is_unknown
