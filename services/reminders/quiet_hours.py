"""Manage quiet hours of chats and people, in which only urgent reminders are sent."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.reminders.model import EVERYONE, Reminder

_DAY = timedelta(days=1)


class QuietHours(Struct, frozen=True, kw_only=True):
    """From `starts` to `ends` on the wall clock of `zone` (IANA name), over midnight when `ends` comes first.

    Equal times mean never: a chat that wants none although the bot has some for every chat.
    """

    starts: time
    ends: time
    zone: str

    def end_of(self, moment: datetime) -> datetime | None:
        """Return when the quiet time that `moment` (timezone-aware) falls in ends, in UTC; None outside of it."""
        zone = ZoneInfo(self.zone)
        local = moment.astimezone(zone)
        clock = local.time()
        is_over_midnight = self.ends < self.starts
        if is_over_midnight and clock >= self.starts:
            day = local.date() + _DAY
        elif clock < self.ends and (is_over_midnight or clock >= self.starts):
            day = local.date()
        else:
            return None
        return datetime.combine(day, self.ends, tzinfo=zone).astimezone(UTC)


class QuietBook(Protocol):
    """Stores quiet hours under keys."""

    async def quiet_hours(self, key: str) -> QuietHours | None:
        """Return the quiet hours under `key`."""
        ...

    async def set_quiet_hours(self, key: str, hours: QuietHours | None) -> None:
        """Store quiet hours; None removes them. Reminders that wait already go on waiting."""
        ...


class QuietService:
    """Sets and returns the quiet hours of a chat, and those of a person in all chats of a platform."""

    def __init__(self, book: QuietBook, default: QuietHours | None = None) -> None:
        """Take `default` as the quiet hours of chats that have none of their own."""
        self._book = book
        self._default = default

    async def of_chat(self, chat: ChatAddress) -> QuietHours | None:
        """Return the quiet hours of a chat; None when it has none of its own."""
        return await self._book.quiet_hours(chat_key(chat))

    async def of_person(self, chat: ChatAddress, person: Person) -> QuietHours | None:
        """Return the quiet hours of a person on the platform of `chat`."""
        return await self._book.quiet_hours(person_key(chat, person))

    async def held_until(self, reminder: Reminder, fire: datetime | None = None) -> datetime | None:
        """Return when `fire` of `reminder`, by default its next, is sent instead, in UTC; None when it is on time."""
        fire = fire or next(iter(reminder.next_fires), None)
        if reminder.is_urgent or fire is None:
            return None
        chat, *people = quiet_keys(reminder.address, reminder.creator, reminder.targets)
        kept = [
            await self._book.quiet_hours(chat) or self._default,
            *[await self._book.quiet_hours(each) for each in people],
        ]
        return quiet_until((each for each in kept if each is not None), fire)

    async def set_for_chat(self, chat: ChatAddress, hours: QuietHours | None) -> None:
        """Hold back reminders of this chat that are not urgent; None removes the chat's own hours.

        Raises:
            RequestRefused: `zone_unknown(zone)`.
        """
        await self._book.set_quiet_hours(chat_key(chat), _check_zone(hours))

    async def set_for_person(self, chat: ChatAddress, person: Person, hours: QuietHours | None) -> None:
        """Hold back reminders for this person alone that are not urgent; raises as `set_for_chat` does."""
        await self._book.set_quiet_hours(person_key(chat, person), _check_zone(hours))


def chat_key(chat: ChatAddress) -> str:
    """Return the key of a chat's quiet hours."""
    return f"chat:{chat.key}"


def person_key(chat: ChatAddress, person: Person) -> str:
    """Return the key of a person's quiet hours, for all chats of the platform."""
    return f"person:{chat.platform}:{person.id}"


def quiet_keys(chat: ChatAddress, creator: Person, targets: Sequence[Person]) -> tuple[str, ...]:
    """Return the keys of a reminder's quiet hours: the chat's, and those of its only recipient."""
    people = tuple(targets) or (creator,)
    if len(people) > 1 or people[0].id == EVERYONE:
        return (chat_key(chat),)
    return (chat_key(chat), person_key(chat, people[0]))


def quiet_until(hours: Iterable[QuietHours], moment: datetime) -> datetime | None:
    """Return the first instant from `moment` on that lies in none of `hours`; None when that is `moment` itself.

    Hours that leave no such instant within two days hold nothing back longer than that.
    """
    kept = tuple(hours)
    end = moment
    while end - moment < 2 * _DAY:
        later = max((each for one in kept if (each := one.end_of(end)) is not None), default=None)
        if later is None:
            break
        end = later
    return None if end == moment else end


def _check_zone(hours: QuietHours | None) -> QuietHours | None:
    if hours is not None:
        try:
            ZoneInfo(hours.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise RequestRefused("zone_unknown", zone=hours.zone) from error
    return hours
