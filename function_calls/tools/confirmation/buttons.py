"""Build the buttons of answers, which send a text, and the question about an ambiguous time."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult
from function_calls.tools.confirmation.pending_calls import ANSWER_TIME
from services.kernel.chat import Choice, Person
from services.recurrence.schedule import read_schedule

FIRED: Final = ("done", "snooze_minutes", "snooze_hour", "snooze_tomorrow")
"""Buttons of a reminder message."""

STOP: Final = "delete"
"""A further button of the message of a recurring reminder."""

YES_NO: Final = ("yes", "no")
"""Buttons of a confirmation."""


def buttons(
    language: str, names: Sequence[str], people: Iterable[Person] = (), *, expires_at: datetime | None = None
) -> tuple[Choice, ...]:
    """Return the buttons of these names in `language`, for `people` only if there are any."""
    ids = tuple(person.id for person in people)
    return tuple(
        Choice(
            label=say(language, f"button.{name}"),
            says=say(language, f"button.{name}_says"),
            for_people=ids,
            expires_at=expires_at,
        )
        for name in names
    )


def buttons_to_confirm(language: str, action: str, person: Person, asked_at: datetime) -> tuple[Choice, ...]:
    """Return the buttons yes and no for `person`; the yes names `action`, unless that is empty."""
    names = (f"yes_{action}", "no") if action else YES_NO
    return buttons(language, names, (person,), expires_at=asked_at + ANSWER_TIME)


def numbered_buttons(labels: Sequence[str], person: Person, asked_at: datetime) -> tuple[Choice, ...]:
    """Return a button for each label that sends its number, for `person` only."""
    return tuple(
        Choice(label=label, says=str(number), for_people=(person.id,), expires_at=asked_at + ANSWER_TIME)
        for number, label in enumerate(labels, start=1)
    )


def buttons_to_undo(language: str, results: Iterable[ToolResult], person: Person) -> tuple[Choice, ...]:
    """Return the button for `person` that undoes the last change in `results`, if that is possible."""
    changes = [receipt.change_id for result in results for receipt in result.receipts if receipt.undo is not None]
    return tuple(undo_button(language, change, person) for change in changes[-1:] if change)


def undo_button(language: str, change: str, person: Person, *, before: str = "") -> Choice:
    """Return the button that undoes the change with this id; `before` is the prefix of its command."""
    return Choice(
        label=say(language, "button.undo"),
        says=f"{before}/undo {change}",
        for_people=(person.id,),
        change_id=change,
    )


class TimeOption(Struct, frozen=True, kw_only=True):
    """A possible time: the first one, timezone-aware, and the RFC 5545 rule of a repetition, empty without one."""

    start: datetime
    rule: str = ""


class TimeQuestion(Struct, frozen=True, kw_only=True):
    """The text of a question, and a button for each answer."""

    text: str
    choices: tuple[Choice, ...]


def ask_which_time(
    options: Sequence[TimeOption], *, content: str, language: str, now: datetime, person: Person
) -> TimeQuestion:
    """Ask `person` for one of `options` as the time of a reminder of `content`, which may be empty."""
    moments = [_word_option(option, language, now) for option in options]
    question = say(language, "offline.which_time_for" if content else "offline.which_time", content=content)
    lines = (f"{number}. {moment}" for number, moment in enumerate(moments, start=1))
    return TimeQuestion(
        text="\n".join([question, *lines]),
        choices=numbered_buttons(moments, person, now),
    )


def _word_option(option: TimeOption, language: str, now: datetime) -> str:
    if not option.rule:
        return date_format.moment(language, option.start, now)
    return recurrence_text.schedule_words(
        language, read_schedule(option.start.replace(tzinfo=None), "UTC", option.rule)
    )
