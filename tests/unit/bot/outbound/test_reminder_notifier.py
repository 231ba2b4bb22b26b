"""Texts of due reminders, single and together."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from bot.outbound.reminder_notifier import BlockedChats, ReminderNotifier
from bot.platforms.base import Capabilities
from bot.testing.clocks import FixedClock
from bot.testing.platform import FakePlatform
from services.kernel.chat import ChatAddress, Person
from services.reminders.model import EVERYONE, DueNotice, ReminderAction

DUE = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
ANN, BOB = Person(id="ann", name="Ann"), Person(id="bob", name="Bob")
TEA = DueNotice(
    delivery_id=1,
    idempotency_key="a-1",
    reminder_id="a",
    address=ChatAddress(platform="fake", chat_id="home"),
    creator=ANN,
    targets=(),
    content="tea",
    language="en",
    due_at=DUE,
    missed=0,
    is_recurring=False,
    attempt=1,
)
MILK = replace(TEA, delivery_id=2, idempotency_key="b-1", reminder_id="b", content="milk", targets=(BOB,))


class FakeOutbox:
    """Keeps the messages."""

    def __init__(self):
        self.messages = []
        self.platforms = {}

    async def send(self, address, message):
        self.messages.append(message)
        return "m1"


@pytest.fixture
def outbox():
    return FakeOutbox()


@pytest.fixture
def clock():
    return FixedClock(DUE)


@pytest.fixture
def notifier(outbox, clock):
    async def digest(notice):
        return f"📝 since {notice.covers_since:%H:%M}"

    async def private_chat(platform, person_id):
        return ChatAddress(platform=platform, chat_id=f"{person_id} alone")

    return ReminderNotifier(
        outbox=outbox,
        clock=clock,
        late_after=timedelta(minutes=2),
        digest=digest,
        private_chat=private_chat,
        blocked=BlockedChats(),
    )


async def test_punctual_reminder_is_its_text_with_a_mention(notifier, outbox):
    await notifier.deliver(TEA)

    (message,) = outbox.messages
    assert "tea" in message.text
    assert "due" not in message.text
    assert (message.mentions, message.idempotency_key) == ((ANN,), "a-1")


@pytest.mark.parametrize(("takes_keys", "is_marked"), [(False, True), (True, False)])
async def test_repeat_is_marked_where_the_platform_does_not_drop_it(notifier, outbox, clock, takes_keys, is_marked):
    outbox.platforms["fake"] = FakePlatform(clock)
    outbox.platforms["fake"].capabilities = Capabilities(takes_idempotency_key=takes_keys)
    await notifier.deliver(replace(TEA, may_be_repeat=True))
    await notifier.deliver(TEA)

    assert ["sent again" in message.text for message in outbox.messages] == [is_marked, False]


@pytest.mark.parametrize(("held", "words"), [(False, "not running"), (True, "quiet hours")])
async def test_a_late_reminder_says_when_it_was_due_and_why(notifier, outbox, clock, held: bool, words: str):
    clock.set(DUE + timedelta(hours=3))
    await notifier.deliver(replace(TEA, was_held=held))

    assert words in outbox.messages[0].text
    assert "9:00" in outbox.messages[0].text


async def test_two_at_once_are_one_message_that_mentions_both(notifier, outbox):
    await notifier.deliver_together([TEA, MILK], "a-1+x")

    (message,) = outbox.messages
    assert message.text.count("⏰") == len(message.text.splitlines()) == 2
    assert (message.mentions, message.idempotency_key) == ((ANN, BOB), "a-1+x")


async def test_reminder_for_everyone_mentions_everyone_and_the_named(notifier, outbox):
    everyone = replace(TEA, targets=(Person(id="@all", name="all"),))
    await notifier.deliver_together([everyone, MILK], "a-1+x")

    assert outbox.messages[0].mentions_everyone
    assert outbox.messages[0].mentions == (BOB,)


@pytest.mark.parametrize(("language", "words"), [("en", "2 reminders fell due while"), ("zh", "2 个提醒到点了")])
async def test_many_late_reminders_have_one_heading(notifier, outbox, clock, language: str, words: str):
    clock.set(DUE + timedelta(days=3))
    late = [replace(each, language=language) for each in (TEA, replace(MILK, missed=4))]
    await notifier.deliver_together(late, "a-1+x")

    heading, *lines = outbox.messages[0].text.splitlines()
    assert words in heading
    assert len(lines) == 2
    assert "4" in lines[1]


async def test_late_reminders_beside_a_punctual_one_are_marked_separately(notifier, outbox, clock):
    clock.set(DUE + timedelta(hours=3))
    on_time = replace(MILK, due_at=DUE + timedelta(hours=3))
    await notifier.deliver_together([TEA, on_time], "a-1+x")

    assert outbox.messages[0].text.startswith("⏰")
    assert "was due" in outbox.messages[0].text


DIGEST = replace(TEA, action=ReminderAction.SUMMARY, covers_since=DUE - timedelta(hours=1))


async def test_digest_is_the_summary_without_mentions(notifier, outbox):
    await notifier.deliver(DIGEST)

    assert outbox.messages[0].text == "📝 since 08:00"
    assert outbox.messages[0].mentions == ()


async def test_digest_comes_below_reminders_due_with_it(notifier, outbox):
    await notifier.deliver_together([DIGEST, MILK], "k")

    assert outbox.messages[0].text == "⏰ @Bob milk\n📝 since 08:00"
    assert outbox.messages[0].mentions == (BOB,)


async def test_reminder_until_done_says_so(notifier, outbox):
    await notifier.deliver(replace(TEA, repeats_every=timedelta(minutes=5)))

    (message,) = outbox.messages
    assert message.text.endswith("\n   (again in 5 minutes, until you say “done”)")


@pytest.mark.parametrize(
    ("notice", "done", "others"),
    [
        (TEA, ("ann",), ("ann",)),
        (MILK, ("ann", "bob"), ("ann", "bob")),
        (replace(TEA, targets=(Person(id=EVERYONE, name="everyone"),)), ("ann",), ("ann",)),
        (
            replace(TEA, targets=(Person(id=EVERYONE, name="everyone"),), repeats_every=timedelta(minutes=10)),
            (),
            ("ann",),
        ),
    ],
)
async def test_the_buttons_of_a_reminder_serve_those_who_may_change_it(notifier, outbox, notice, done, others):
    await notifier.deliver(notice)

    first, *rest = outbox.messages[-1].choices
    assert first.for_people == done
    assert {each.for_people for each in rest} == {others}
