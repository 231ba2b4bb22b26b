"""Manage the buttons under a message: who may press each, and when they expire."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from services.kernel.chat import Choice

ChoiceState = Literal["live", "used", "expired"]


class ChoiceShape(TypedDict):
    """A button: pressing it is saying `says` as a reply to the message.

    `only_for` are the ids of the people whom it serves, empty for everybody. A question is answered until `expires_at`
    (UTC; null where the button does not expire). `change_id` is the change that the button takes back, null for others.
    """

    label: str
    says: str
    only_for: list[str]
    state: ChoiceState
    expires_at: str | None
    change_id: str | None


def choice_shape(choice: Choice, written: Callable[[datetime], str]) -> ChoiceShape:
    """Return a button that was not pressed yet; `written` words its instants."""
    return ChoiceShape(
        label=choice.label,
        says=choice.says,
        only_for=[*choice.for_people],
        state="live",
        expires_at=None if choice.expires_at is None else written(choice.expires_at),
        change_id=choice.change_id or None,
    )


def read_choice(entry: dict[str, object]) -> ChoiceShape:
    """Return a button as it was stored, by an earlier version too."""
    people, state = entry.get("only_for"), entry.get("state")
    expires_at, change_id = entry.get("expires_at"), entry.get("change_id")
    return ChoiceShape(
        label=str(entry.get("label")),
        says=str(entry.get("says")),
        only_for=[str(each) for each in people] if isinstance(people, list) else [],
        state="used" if state == "used" else "live",
        expires_at=expires_at if isinstance(expires_at, str) else None,
        change_id=change_id if isinstance(change_id, str) else None,
    )


def choices_at(choices: Sequence[ChoiceShape], now: datetime) -> list[ChoiceShape]:
    """Return `choices` with those marked whose time is over."""
    return [{**each, "state": "expired"} if _is_over(each, now) else each for each in choices]


def choices_pressed(
    choices: Sequence[ChoiceShape], says: str, person_id: str, *, is_done: bool
) -> list[ChoiceShape] | None:
    """Return `choices` after `person_id` pressed the one that `says` this; None where that changes nothing.

    A button is used once what it asks for `is_done`; one for everybody stays for the others. One that takes a change
    back is used with that (see `choices_undone`), and one of a question with the question (see `choices_closed`).
    """
    pressed = next((each for each in choices if each["says"] == says and person_id in each["only_for"]), None)
    if pressed is None or pressed["change_id"] is not None or pressed["expires_at"] is not None:
        return None
    return [_mark_used(each) if each is pressed else each for each in choices] if is_done else None


def choices_closed(choices: Sequence[ChoiceShape]) -> list[ChoiceShape]:
    """Return `choices` after the question that they answer was answered or dropped."""
    return [_mark_used(each) if each["expires_at"] is not None else each for each in choices]


def choices_undone(choices: Sequence[ChoiceShape], change_id: str) -> list[ChoiceShape]:
    """Return `choices` after the change with this id was taken back."""
    return [_mark_used(each) if each["change_id"] == change_id else each for each in choices]


def _mark_used(choice: ChoiceShape) -> ChoiceShape:
    return {**choice, "state": "used"}


def _is_over(choice: ChoiceShape, now: datetime) -> bool:
    expires_at = choice["expires_at"]
    return choice["state"] == "live" and expires_at is not None and datetime.fromisoformat(expires_at) <= now
