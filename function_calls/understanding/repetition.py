"""What a sentence says of the days, and of the end, of a reminder that repeats: as arguments of `reminder_update`."""

from collections.abc import Mapping

from function_calls.understanding.named_weekdays import are_all, last_day, weekdays_in
from function_calls.understanding.requests import Ear
from services.recurrence.rules import MOST_OCCURRENCES


def repetition_arguments(words: Mapping[str, str], ear: Ear) -> dict[str, object] | None:
    """The arguments that `words` of such slots stand for; None where they are not of that kind.

    Of "not on Sunday" both the coming one and all of them may be meant: it is an argument for either.
    """
    readers = {"kept_days": _kept, "more_days": _more, "fewer_days": _fewer, "last": _last, "times": _times}
    made: dict[str, object] = {}
    for slot, spoken in words.items():
        read = readers[slot](spoken, ear)
        if not read:
            return None
        made |= read
    return made


def _kept(spoken: str, ear: Ear) -> Mapping[str, object]:
    return {"days": spoken} if are_all(spoken, ear.now, ear.pack.language, ear.read_times) else {}


def _more(spoken: str, ear: Ear) -> Mapping[str, object]:
    return {"days": f"+{spoken}"} if weekdays_in(spoken, ear.now, ear.pack.language, ear.read_times) else {}


def _fewer(spoken: str, ear: Ear) -> Mapping[str, object]:
    named = weekdays_in(spoken, ear.now, ear.pack.language, ear.read_times)
    if len(named) == 1 and not are_all(spoken, ear.now, ear.pack.language, ear.read_times):
        return {"days": f"-{spoken}", "skip": spoken}
    return {"days": f"-{spoken}"} if named else {}


def _last(spoken: str, ear: Ear) -> Mapping[str, object]:
    return {} if last_day(spoken, ear.now, ear.pack.language, ear.read_times) is None else {"until": spoken}


def _times(spoken: str, ear: Ear) -> Mapping[str, object]:
    amount = float(spoken) if spoken.isdecimal() else ear.pack.data.lead.numbers.get(spoken.lower(), 0)
    return {"times": int(amount)} if 1 <= amount <= MOST_OCCURRENCES and amount == int(amount) else {}
