"""Build the buttons of answers: each sends what a person could also type."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult
from function_calls.tools.confirmation.pending_calls import WAITS
from services.kernel.chat import Choice, Person

FIRED: Final = ("done", "snooze_minutes", "snooze_hour", "snooze_tomorrow")
"""Under a reminder that has just been said."""

STOP: Final = "delete"
"""Under one that will come again."""

CONSENT: Final = ("yes", "no")
"""Under a question whether something may be done."""


def buttons(
    language: str, names: Sequence[str], people: Iterable[Person] = (), *, expires_at: datetime | None = None
) -> tuple[Choice, ...]:
    """Return the buttons of these names in `language`, for `people` alone where some are given."""
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
    """Return a yes and a no for `person`; the yes names `action` where one is to be named."""
    names = (f"yes_{action}", "no") if action else CONSENT
    return buttons(language, names, (person,), expires_at=asked_at + WAITS)


def numbered_buttons(labels: Sequence[str], person: Person, asked_at: datetime) -> tuple[Choice, ...]:
    """Return a button for each of `labels`, which says its number, for `person` alone."""
    return tuple(
        Choice(label=label, says=str(number), for_people=(person.id,), expires_at=asked_at + WAITS)
        for number, label in enumerate(labels, start=1)
    )


def buttons_to_undo(language: str, results: Iterable[ToolResult], person: Person) -> tuple[Choice, ...]:
    """Return the button for `person` that takes back the last change among `results`, if that can be undone."""
    changes = [each.change_id for result in results for each in result.receipts if each.undo is not None]
    return tuple(undo_button(language, change, person) for change in changes[-1:] if change)


def undo_button(language: str, change: str, person: Person, *, before: str = "") -> Choice:
    """Return the button that takes back the change with this id; `before` stands in front of the command it says."""
    return Choice(
        label=say(language, "button.undo"),
        says=f"{before}/undo {change}",
        for_people=(person.id,),
        change_id=change,
    )
