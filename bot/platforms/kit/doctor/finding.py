"""Results of the doctor's checks."""

from msgspec import Struct


class Finding(Struct, frozen=True, kw_only=True):
    """One line of the report. `next_step` is what the operator should do; only problems have one.

    A warning is well as far as the bot can tell, and probably not what the operator meant.
    """

    about: str
    said: str
    next_step: str = ""
    is_warning: bool = False

    @property
    def is_problem(self) -> bool:
        """Return whether somebody must act."""
        return bool(self.next_step)


def good(about: str, said: str) -> Finding:
    """All is well."""
    return Finding(about=about, said=said)


def problem(about: str, said: str, next_step: str) -> Finding:
    """Something is wrong, and this is what to do."""
    return Finding(about=about, said=said, next_step=next_step)


def warning(about: str, said: str) -> Finding:
    """Return the finding of something that works, but probably not as intended."""
    return Finding(about=about, said=said, is_warning=True)
