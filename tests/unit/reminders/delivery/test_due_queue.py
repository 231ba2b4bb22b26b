"""The queue of claimed occurrences, ordered by instant."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from services.kernel.chat import ChatAddress, Person
from services.reminders.delivery.due_queue import DueQueue
from services.reminders.model import DueNotice, ReminderAction
from services.reminders.records import Lease

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def lease(number: int, due: datetime, chat: str = "home") -> Lease:
    notice = DueNotice(
        delivery_id=number,
        idempotency_key=f"k{number}",
        reminder_id=f"r{number}",
        address=ChatAddress(platform="console", chat_id=chat),
        creator=Person(id="ann", name="Ann"),
        targets=(),
        content="tea",
        language="en",
        due_at=due,
        missed=0,
        is_recurring=False,
        attempt=1,
        may_be_repeat=False,
        repeats_every=None,
    )
    return Lease(notice=notice, reminder_key=number, version=1, try_at=due)


def take_ids(queue: DueQueue, now: datetime, limit: int = 100) -> list[int]:
    return [lease.notice.delivery_id for message in queue.take(now, limit) for lease in message]


def test_earlier_due_time_leaves_the_queue_first():
    queue = DueQueue()
    queue.push([lease(1, NOON + SECOND), lease(2, NOON), lease(3, NOON + SECOND), lease(4, NOON)])

    assert queue.next_at == NOON
    assert take_ids(queue, NOON + SECOND) == [2, 4, 1, 3]


def test_occurrence_leaves_the_queue_at_its_instant():
    queue = DueQueue()
    queue.push([lease(1, NOON), lease(2, NOON + SECOND)])

    assert take_ids(queue, NOON) == [1]
    assert queue.next_at == NOON + SECOND
    assert take_ids(queue, NOON) == []


def test_many_occurrences_of_one_instant_all_leave_the_queue():
    queue = DueQueue()
    queue.push([lease(number, NOON) for number in range(2_500)])
    queue.push([lease(9_999, NOON + SECOND)])

    found = []
    while part := take_ids(queue, NOON, limit=300):
        found += part

    assert found == list(range(2_500))
    assert (len(queue), queue.next_at) == (1, NOON + SECOND)


def test_queue_can_wait_for_a_past_instant_again():
    queue = DueQueue()
    queue.push([lease(1, NOON)])
    take_ids(queue, NOON)
    queue.push([lease(1, NOON)])

    assert take_ids(queue, NOON) == [1]


def test_newer_claim_of_an_occurrence_counts():
    queue = DueQueue()
    queue.push([lease(1, NOON)])
    queue.push([lease(1, NOON + SECOND)])

    assert take_ids(queue, NOON) == []
    assert take_ids(queue, NOON + SECOND) == [1]


def test_cleared_queue_waits_for_nothing():
    queue = DueQueue()
    queue.push([lease(1, NOON)])
    queue.clear()

    assert (len(queue), queue.next_at, take_ids(queue, NOON)) == (0, None, [])


def test_chat_with_many_reminders_does_not_delay_others():
    queue = DueQueue()
    queue.push([*(lease(number, NOON) for number in range(5)), lease(9, NOON, chat="away")])

    assert take_ids(queue, NOON, limit=2) == [0, 9]


def test_summary_does_not_delay_reminders_of_its_message():
    queue = DueQueue(max_per_message=10)
    tea, coffee, summary = (lease(number, NOON) for number in (1, 2, 3))
    summary = replace(summary, notice=replace(summary.notice, action=ReminderAction.SUMMARY))
    queue.push([tea, summary, coffee])

    assert queue.take(NOON, 100) == [(tea,), (summary,), (coffee,)]
