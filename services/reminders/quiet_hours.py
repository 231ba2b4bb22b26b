"""Manage quiet hours of chats and people, in which only urgent reminders are sent."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Protocol

from msgspec import Struct

from services.kernel.chat import ChatAddress, Person
from services.recurrence.fires import load_zone, load_zone_or_utc
from services.reminders.model import EVERYONE, Reminder

_DAY = timedelta(days=1)


class QuietHours(Struct, frozen=True, kw_only=True):
    """The time from `starts` to `ends` in `zone` (IANA name), across midnight if `ends` is earlier.

    Equal times mean no quiet hours, for a chat that switches off those of the bot.
    """

    starts: time
    ends: time
    zone: str

    def end_of(self, moment: datetime) -> datetime | None:
        """Return the end, in UTC, of the quiet hours around `moment` (timezone-aware); None outside of them."""
        zone = load_zone_or_utc(self.zone)
        local = moment.astimezone(zone)
        clock = local.time()
        is_over_midnight = self.ends < self.starts
        if is_over_midnight and clock >= self.starts:
            day = local.date() + _DAY
        elif clock < self.ends and (is_over_midnight or clock >= self.starts):
            day = local.date()
        else:
            return None
        # Within a repeated hour they end in the same repetition: an end before `moment` would not end the search.
        return datetime.combine(day, self.ends.replace(fold=local.fold), tzinfo=zone).astimezone(UTC)


class QuietBook(Protocol):
    """Stores quiet hours under keys."""

    async def quiet_hours(self, key: str) -> QuietHours | None:
        """Return the quiet hours under `key`."""

    async def set_quiet_hours(self, key: str, hours: QuietHours | None) -> None:
        """Store quiet hours; None removes them. Delayed reminders stay delayed."""


class QuietService:
    """Sets and returns the quiet hours of a chat, and those of a person in all chats of a platform."""

    def __init__(self, book: QuietBook, default: QuietHours | None = None) -> None:
        """Use `default` as the quiet hours of chats that have none of their own."""
        self._book = book
        self._default = default

    async def of_chat(self, chat: ChatAddress) -> QuietHours | None:
        """Return the quiet hours of a chat; None when it has none of its own."""
        return await self._book.quiet_hours(chat_key(chat))

    async def of_person(self, chat: ChatAddress, person: Person) -> QuietHours | None:
        """Return the quiet hours of a person on the platform of `chat`."""
        return await self._book.quiet_hours(person_key(chat, person))

    async def held_until(self, reminder: Reminder, fire: datetime | None = None) -> datetime | None:
        """Return the time, in UTC, to which quiet hours delay `fire` (default: the next one); None without a delay."""
        fire = fire or next(iter(reminder.next_fires), None)
        if reminder.is_urgent or fire is None:
            return None
        chat, *people = quiet_keys(reminder.address, reminder.creator, reminder.targets)
        stored = [
            await self._book.quiet_hours(chat) or self._default,
            *[await self._book.quiet_hours(key) for key in people],
        ]
        return quiet_until((hours for hours in stored if hours is not None), fire)

    async def set_for_chat(self, chat: ChatAddress, hours: QuietHours | None) -> None:
        """Set the quiet hours of the chat; None removes them.

        Raises:
            RequestRefused: `zone_unknown(zone)`.
        """
        await self._book.set_quiet_hours(chat_key(chat), _check_zone(hours))

    async def set_for_person(self, chat: ChatAddress, person: Person, hours: QuietHours | None) -> None:
        """Set the quiet hours for reminders that only this person receives; raises as `set_for_chat`."""
        await self._book.set_quiet_hours(person_key(chat, person), _check_zone(hours))


def chat_key(chat: ChatAddress) -> str:
    """Return the key of a chat's quiet hours."""
    return f"chat:{chat.key}"


def person_key(chat: ChatAddress, person: Person) -> str:
    """Return the key of a person's quiet hours, for all chats of the platform."""
    return f"person:{chat.platform}:{person.id}"


def quiet_keys(chat: ChatAddress, creator: Person, targets: Sequence[Person]) -> tuple[str, ...]:
    """Return the keys of the quiet hours of a reminder: that of the chat, and that of a single recipient."""
    people = tuple(targets) or (creator,)
    if len(people) > 1 or people[0].id == EVERYONE:
        return (chat_key(chat),)
    return (chat_key(chat), person_key(chat, people[0]))


def quiet_until(hours: Iterable[QuietHours], moment: datetime) -> datetime | None:
    """Return the first instant from `moment` on outside of all `hours`; None if that is `moment` itself.

    The delay is limited to about two days.
    """
    all_hours = tuple(hours)
    end = moment
    while end - moment < 2 * _DAY:
        ends = (quiet_hours.end_of(end) for quiet_hours in all_hours)
        later = max((quiet_end for quiet_end in ends if quiet_end is not None), default=None)
        if later is None:
            break
        end = later
    return None if end == moment else end


def _check_zone(hours: QuietHours | None) -> QuietHours | None:
    if hours is not None:
        load_zone(hours.zone)
    return hours
