"""Read which of the offered times an answer picks: by its number, a half of the day, or "both"."""

import re
from collections.abc import Sequence

from function_calls.tools.confirmation.yes_no import pick_of
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import MessageReading
from services.time_expressions import Reading

_NOON = 12
_LONGEST = 5
"""Tokens; an answer that only picks is short."""


def chosen(reading: MessageReading, options: Sequence[Reading], words: Lexicon, bot_name: str) -> tuple[Reading, ...]:
    """Return the options that the message picks; none where it says something else."""
    if not options or len(reading.tokens) > _LONGEST:
        return ()
    pick = pick_of(reading.text, bot_name)
    if pick.isdigit():
        return tuple(options[int(pick) - 1 : int(pick)])
    said = words.joint.join(token.form for token in reading.tokens if token.form not in words.around_choice)
    place = words.ordinals.get(said)
    if place is not None:
        return tuple(options[place - 1 : place])
    if said in words.both:
        return tuple(options)
    half = _half(reading, words)
    if half is not None:
        fitting = tuple(each for each in options if (each.start.hour < _NOON) is half)
        return fitting if len(fitting) == 1 else ()
    for names, which in ((words.earlier_one, min), (words.later_one, max)):
        if said in names:
            return (which(options, key=lambda each: each.start),)
    return ()


def _half(reading: MessageReading, words: Lexicon) -> bool | None:
    """Return whether the message names the half of the day before noon; None where it names none, or another time."""
    if any(token.form[0] == "@" and token.form not in {"@", "@part"} for token in reading.tokens):
        return None
    text = reading.text.casefold()
    edge = r"(?<![a-z]){}(?![a-z])" if words.joint else "{}"
    before, after = (
        any(re.search(edge.format(re.escape(name)), text) for name in names)
        for names in (words.before_noon, words.after_noon)
    )
    return before if before is not after else None
