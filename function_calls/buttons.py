"""The buttons that the bot offers: each says what a person could as well have typed."""

from collections.abc import Sequence
from typing import Final

from function_calls.wording import say
from services.chat import Choice

FIRED: Final = ("done", "snooze_minutes", "snooze_hour", "snooze_tomorrow")
"""Under a reminder that has just been said."""

STOP: Final = "delete"
"""Under one that will come again."""

CONSENT: Final = ("yes", "no")
"""Under a question whether something may be done."""

UNDO: Final = ("undo",)
"""Under the confirmation of a change."""


def buttons(language: str, names: Sequence[str]) -> tuple[Choice, ...]:
    """The buttons of these names, in the person's language."""
    return tuple(
        Choice(label=say(language, f"button.{name}"), says=say(language, f"button.{name}_says")) for name in names
    )
