"""Words a due reminder and hands it to the outbox: code only, no model is asked."""

from datetime import timedelta

from bot.outbox import Outbox
from bot.platform import OutgoingMessage
from function_calls import phrasing
from function_calls.wording import say
from services.chat import Person
from services.clock import Clock
from services.reminders.model import DueNotice


class ReminderCourier:
    """The reminder service's way into the chats."""

    def __init__(self, outbox: Outbox, clock: Clock, *, late_after: timedelta) -> None:
        self._outbox = outbox
        self._clock = clock
        self._late_after = late_after

    async def deliver(self, notice: DueNotice) -> str | None:
        """Say `notice` in its chat, mentioning whom it is for.

        Raises:
            DeliveryFailed: the platform did not take it.
        """
        everyone = any(person.id == phrasing.EVERYONE for person in notice.targets)
        people = tuple(person for person in notice.targets if person.id != phrasing.EVERYONE)
        message = OutgoingMessage(
            text=self._words(notice),
            mentions=people or (() if everyone else (notice.creator,)),
            mentions_everyone=everyone,
            idempotency_key=notice.idempotency_key,
        )
        return await self._outbox.send(notice.address, message)

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        """Tell the chat that `notice` could not be delivered.

        Raises:
            DeliveryFailed: that cannot be said either.
        """
        text = say(notice.language, "reminder.undeliverable", id=notice.reminder_id, content=notice.content, why=reason)
        await self._outbox.send(notice.address, OutgoingMessage(text=text, mentions=(notice.creator,)))

    def _words(self, notice: DueNotice) -> str:
        fields = {"who": _called(notice), "content": notice.content}
        if notice.missed:
            return say(notice.language, "reminder.due_missed", missed=notice.missed, **fields)
        now = self._clock.now()
        if now - notice.due_at > self._late_after:
            when = phrasing.moment(notice.language, notice.due_at, now.astimezone(notice.due_at.tzinfo))
            return say(notice.language, "reminder.due_late", when=when, **fields)
        return say(notice.language, "reminder.due", **fields)


def _called(notice: DueNotice) -> str:
    """The people in front of the text, as they are called; the platform turns them into mentions."""
    people: tuple[Person, ...] = notice.targets or (notice.creator,)
    return f"{phrasing.targets(notice.language, people)} "
