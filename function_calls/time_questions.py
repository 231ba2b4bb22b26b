"""The question which of several times was meant, with its answers by number."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from function_calls import phrasing
from function_calls.buttons import numbered_buttons
from function_calls.wording import say
from services.chat import Choice, Person


class TimeQuestion(Struct, frozen=True, kw_only=True):
    """What to ask, and a button for each answer."""

    text: str
    choices: tuple[Choice, ...]


def which_time(
    options: Sequence[datetime], *, content: str, language: str, now: datetime, person: Person
) -> TimeQuestion:
    """Ask `person` which of `options` (timezone-aware, like `now`) is meant for a reminder of `content`, if any."""
    moments = [phrasing.moment(language, option, now) for option in options]
    asked = say(language, "offline.which_time_for" if content else "offline.which_time", content=content)
    lines = (f"{number}. {moment}" for number, moment in enumerate(moments, start=1))
    return TimeQuestion(
        text="\n".join([asked, *lines]),
        choices=numbered_buttons(moments, person, now),
    )
