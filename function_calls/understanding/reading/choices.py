"""Read which of the offered times an answer picks: by its number, a half of the day, or "both"."""

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
    for halves, is_wanted in ((words.before_noon, True), (words.after_noon, False)):
        fitting = tuple(each for each in options if (each.start.hour < _NOON) is is_wanted)
        if len(fitting) == 1 and (said in halves or reading.text.casefold().strip(" .!。！") in halves):
            return fitting
    for names, which in ((words.earlier_one, min), (words.later_one, max)):
        if said in names:
            return (which(options, key=lambda each: each.start),)
    return ()
