"""Create the reader of times from the conventions in the settings."""

from datetime import datetime

from bot.config.settings import TimeSettings
from services.summary.model import TimeReader as ReadTime
from services.time_expressions import DateOrder, DayParts, TimeReader


def time_reader(settings: TimeSettings) -> TimeReader:
    """Return the reader of all times, by the operator's conventions."""
    parts = DayParts(
        day=settings.day,
        morning=settings.morning,
        noon=settings.noon,
        afternoon=settings.afternoon,
        evening=settings.evening,
        night=settings.night,
    )
    order = None if settings.date_order == "ask" else DateOrder(settings.date_order)
    return TimeReader(order=order, day_parts=parts)


def read_time_of(reader: TimeReader) -> ReadTime:
    """Return a function that reads single times with `reader`."""

    def read(phrase: str, sent_at: datetime, language: str) -> datetime | None:
        best = reader.parse(phrase, sent_at, language=language).best
        return None if best is None else best.start

    return read
