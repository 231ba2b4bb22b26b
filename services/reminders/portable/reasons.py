"""Why a reminder of a file cannot be kept, in one clause for the operator who imports it."""

from pydantic import ValidationError

from services.errors import RequestRefused

_SENTENCES = {
    "zone_unknown": "there is no time zone {zone!r}",
    "rule_not_understood": "the rule {rule!r} is not one that can be kept: {because}",
    "rule_too_often": "the rule fires more often than every minute",
    "rule_never_fires": "the rule never fires",
    "content_missing": "there is no text",
    "content_too_long": "the text is longer than {limit} characters",
    "time_in_past": "the time has passed",
}
_MOST = 3
_LONGEST = 200
_DEEPEST = 4


def reason_of(error: ValueError | RequestRefused) -> str:
    """One clause, at most a few hundred characters, without the text of the reminder."""
    if isinstance(error, RequestRefused):
        sentence = _SENTENCES.get(error.code, error.code)
        return sentence.format(**{name: _short(value) for name, value in error.fields.items()})
    if not isinstance(error, ValidationError):
        return str(error)[:_LONGEST]
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    told = "; ".join(_fault(each["loc"], each["msg"]) for each in faults[:_MOST])
    return told if len(faults) <= _MOST else f"{told}; and {len(faults) - _MOST} more"


def _fault(where: tuple[int | str, ...], message: str) -> str:
    path = ".".join(str(part) for part in where[:_DEEPEST])
    return f"{path}: {message}" if path else message


def _short(value: object) -> object:
    text = str(value)
    return f"{text[:_LONGEST]}…" if len(text) > _LONGEST else text
