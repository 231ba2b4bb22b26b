"""Write reminders as iCalendar (RFC 5545): an event with an alarm for each."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from services.reminders.exchange.ics_component import calendar_library
from services.reminders.exchange.ics_schedule import IcsTimes, ics_times
from services.reminders.exchange.model import PortableReminder
from services.reminders.exchange.record import record_of
from services.reminders.model import ReminderState

if TYPE_CHECKING:
    from icalendar import Calendar, Event

RECORD = "X-BUBBLES-REMINDER"
_PRODUCT = "-//Bubbles//Reminders//EN"
_REFRESH = timedelta(hours=1)


def export_ics(reminders: Sequence[PortableReminder], *, chat: str, now: datetime) -> str:
    """Return the reminders of `chat` (its key) as an iCalendar file; `now` is timezone-aware.

    The property `X-BUBBLES-REMINDER` of each event has the whole reminder, so that `import_ics` reads it without loss:
    RFC 5545 has no properties for people by chat id, the zone of a UTC rule, lunar rules and pauses.

    Raises:
        ConfigError: the extra `ical` is not installed.
    """
    return _render(reminders, chat, now, has_records=True)


def feed_ics(reminders: Sequence[PortableReminder], *, chat: str, now: datetime) -> str:
    """Write a calendar to subscribe to: the active reminders, without the properties for imports."""
    active = [reminder for reminder in reminders if reminder.state is ReminderState.ACTIVE]
    return _render(active, chat, now, has_records=False)


def _render(reminders: Sequence[PortableReminder], chat: str, now: datetime, *, has_records: bool) -> str:
    ical = calendar_library()
    calendar: Calendar = ical.Calendar()
    calendar.add("prodid", _PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", f"Bubbles {chat}")
    calendar.add("refresh-interval", _REFRESH, parameters={"VALUE": "DURATION"})
    for reminder in reminders:
        times = ics_times(reminder.schedule, now)
        calendar.add_component(_event(reminder, times, now, has_record=has_records))
    calendar.add_missing_timezones()
    text: str = calendar.to_ical().decode("utf-8")
    return text


def _event(reminder: PortableReminder, times: IcsTimes, now: datetime, *, has_record: bool) -> "Event":
    ical = calendar_library()
    event: Event = ical.Event()
    event.add("uid", reminder.uid)
    event.add("dtstamp", now.astimezone(UTC).replace(microsecond=0))
    event.add("created", reminder.created_at.astimezone(UTC).replace(microsecond=0))
    event.add("summary", reminder.content)
    event.add("dtstart", times.start)
    if times.rule:
        event.add("rrule", ical.vRecur.from_ical(times.rule))
    if times.dates:
        event.add("rdate", list(times.dates))
    if times.exceptions:
        event.add("exdate", list(times.exceptions))
    event.add("transp", "TRANSPARENT")
    event.add("status", "TENTATIVE" if reminder.state is ReminderState.PAUSED else "CONFIRMED")
    if has_record:
        event.add(RECORD, record_of(reminder).model_dump_json())
    alarm = ical.Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", reminder.content)
    alarm.add("trigger", timedelta(0))
    event.add_component(alarm)
    return event
