"""Ask which of several times was meant, with numbered answers."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.confirmation.buttons import numbered_buttons
from services.kernel.chat import Choice, Person
from services.recurrence.schedule import Schedule


class TimeOption(Struct, frozen=True, kw_only=True):
    """One answer: the first time, timezone-aware, and the RFC 5545 rule of a repetition; empty for once."""

    start: datetime
    rule: str = ""


class TimeQuestion(Struct, frozen=True, kw_only=True):
    """The text of a question, and a button for each answer."""

    text: str
    choices: tuple[Choice, ...]


def which_time(
    options: Sequence[TimeOption], *, content: str, language: str, now: datetime, person: Person
) -> TimeQuestion:
    """Ask `person` which of `options` is meant for a reminder of `content`, which may be empty."""
    moments = [_word_option(option, language, now) for option in options]
    asked = say(language, "offline.which_time_for" if content else "offline.which_time", content=content)
    lines = (f"{number}. {moment}" for number, moment in enumerate(moments, start=1))
    return TimeQuestion(
        text="\n".join([asked, *lines]),
        choices=numbered_buttons(moments, person, now),
    )


def _word_option(option: TimeOption, language: str, now: datetime) -> str:
    if not option.rule:
        return date_format.moment(language, option.start, now)
    return recurrence_text.schedule_words(
        language, Schedule(start=option.start.replace(tzinfo=None), zone="UTC", rule=option.rule)
    )
