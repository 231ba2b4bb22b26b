"""Parse words as times and lengths of time, which may leave out marks and prepositions."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cache

from msgspec.structs import replace

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.slots.small_words import EDGE, is_figure, strip_leading_word, tidy
from function_calls.understanding.reading.times import (
    TimeWords,
    blank_spans,
    is_clock_alone,
    iterate_spans,
    move_to_day,
    names_only_day,
)
from function_calls.understanding.reading.tokens import mark_seconds
from services.time_expressions import Reading, TimeReadings

ReadPhrase = Callable[[str], tuple[TimeReadings, ...]]
_DAY_AND_FIGURE = re.compile(r"(?P<day>[^\d]*[^\W\d]),? (?P<figure>\d{1,2})")
_MAX_HOUR_DIGITS, _FIGURE_FORMS, _DAY_WORDS = 2, 2, 2
_FIGURES = re.compile(r"(\d{1,2})\.?(\d\d)")
_ROUND = 5
_NIGHT_END, _EVENING, _DAY = 6, 18, timedelta(days=1)
_AMOUNT = re.compile(r"\d+(\s*(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?))$", re.IGNORECASE)
_FIGURE = re.compile(r"^(?:in )?(\d+)$", re.IGNORECASE)


def parse_time(pieces: Sequence[str], words: Lexicon, read: ReadPhrase) -> TimeWords | None:
    """Return the one coming time that all `pieces` name together; None where they name none, or have other words."""
    text = _insert_colon(_strip_fillers(words.joint.join(piece.strip(EDGE) for piece in pieces).strip(), words))
    text = mark_day(text, words)
    first, space, rest = text.partition(words.joint) if words.repetitions else (text, "", "")
    text = f"{words.repetitions.get(words.fold(first), first)}{space}{rest}"
    is_code = text.isdecimal() and len(text) > _MAX_HOUR_DIGITS  # 618, 2026: no hour and no amount
    count = len(read(text)) if text else 0  # what has a time of its own is no figure beside "every"
    maximum = _FIGURE_FORMS if count == 1 and text[:1].isdecimal() else 1 if count or is_code else None
    phrases = [form.format(time=text) for form in words.as_time[:maximum]] if text else []
    day_and_figure = _DAY_AND_FIGURE.fullmatch(text) if words.joint else None
    if day_and_figure is not None:  # "sat 10"
        phrases.append(f"{day_and_figure['day']} {words.as_time[1].format(time=day_and_figure['figure'])}")
    found = next(filter(None, (_parse_phrase(phrase, words, read) for phrase in phrases)), None)
    bare = strip_leading_word(text, words.before_time, words.joint)
    if found is not None or count or bare == text or bare.isdecimal() or len(bare.split()) > _DAY_WORDS:
        return found
    days = (_parse_phrase(form.format(time=bare), words, read) for form in words.as_time)  # "to the 10th"
    return next((day for day in days if day is not None and names_only_day(day.best)), None)


def _parse_phrase(phrase: str, words: Lexicon, read: ReadPhrase) -> TimeWords | None:
    """Return the one coming time that the whole of `phrase` names; None for any other words."""
    expressions = read(phrase)
    is_whole = len(expressions) == 1 and not find_letters_beside_times(phrase, expressions, words)
    return make_time_words(phrase, expressions[0]) if is_whole and expressions[0].best is not None else None


def mark_day(text: str, words: Lexicon) -> str:
    """Return `text` as a day where an article stands in front of a figure, by which it is one: "el 18"."""
    *before, article, figure = ["", "", *text.casefold().split()]
    is_day = article in words.before_day and is_figure(figure) and {*before} <= {"", *words.before_time}
    return words.as_day.format(time=figure) if is_day else text


def _strip_fillers(text: str, words: Lexicon) -> str:
    """Return words of time without fillers such as "single" in "every single morning"."""
    if not words.joint:
        return text
    return " ".join(word for word in text.split() if word.casefold() not in words.fillers)


def _insert_colon(text: str) -> str:
    """Return `text` with a colon in a clock that is written in figures alone: 1730, 18.45."""
    figures = _FIGURES.fullmatch(text)
    if figures is None:
        return text
    hour, minute = int(figures[1]), int(figures[2])
    is_round = "." in text or minute % _ROUND == 0
    return f"{hour}:{minute:02}" if is_round else text


def parse_times(pieces: Sequence[str], words: Lexicon, read: ReadPhrase) -> list[TimeWords]:
    """Return the times that `pieces` name: one made of all of them, else one for each expression."""
    whole = parse_time(pieces, words, read)
    if whole is None and len(pieces) > 1:
        whole = parse_time(pieces[::-1], words, read)
    if whole is not None:
        return [whole]
    return _carry_day([each for piece in pieces for each in _parse_times_of_piece(piece, words, read)])


def _parse_times_of_piece(piece: str, words: Lexicon, read: ReadPhrase) -> list[TimeWords]:
    """Return the times of a piece: of one that lists them, each by itself, bare figures as hours."""
    one = parse_time([piece], words, read)
    if one is not None:
        return [one]
    parts = _distribute_unit([part for part in _split_list(piece, words) if part])
    together = read(piece)
    is_whole = 1 < len(together) <= len(parts) and not find_letters_beside_times(piece, together, words)
    if len(parts) > 1 and not is_whole:  # unlike 9月5日、12日和19日, of one month, and "a las 8 y media"
        listed = [each for part in parts if (each := parse_time([part], words, read)) is not None]
        if len(listed) == len(parts):
            return listed
    return [make_time_words(piece, each) for each in together]


def _distribute_unit(parts: list[str]) -> list[str]:
    """Return the parts of a list with the unit of the last amount: "in 5, 10 and 15 minutes"."""
    amount = _AMOUNT.search(parts[-1]) if parts else None
    return parts if amount is None else [_FIGURE.sub(rf"in \1{amount[1]}", part) for part in parts]


def _split_list(piece: str, words: Lexicon) -> list[str]:
    """Split `piece` at its commas and words for "and"."""
    for word in words.and_words:
        if word.isalpha():
            piece = re.sub(rf"\b{word}\b" if word.isascii() else re.escape(word), ",", piece)
    return [part.strip() for part in re.split("[,，、&]", piece)]


def _carry_day(times: list[TimeWords]) -> list[TimeWords]:
    """Return `found` with the day of the first time for later times that name a clock alone.

    An hour of the night behind a late hour is on the next day.
    """
    if not times or not times[0].best.has_day:
        return times
    return [_move_to_day_of(times[0].best, each) for each in times]


def _move_to_day_of(first: Reading, time: TimeWords) -> TimeWords:
    """Return a clock alone on the day of the `first` time, or the night after it; other times as they are."""
    clock = time.best
    if not is_clock_alone(clock):
        return time
    is_late = first.has_clock and first.rrule is None and first.start.hour >= _EVENING
    day = first.start.date() + (_DAY if is_late and clock.start.hour < _NIGHT_END else timedelta())
    return replace(time, readings=tuple(move_to_day(reading, day) for reading in time.readings))


def find_letters_beside_times(text: str, expressions: Sequence[TimeReadings], words: Lexicon) -> str:
    """Return the letters of `text` outside of `expressions` and of words that stand around times ("at")."""
    return "".join(letter for letter in _blank_times(text, expressions, words) if letter.isalnum())


def find_words_beside_times(text: str, expressions: Sequence[TimeReadings], words: Lexicon) -> list[str]:
    """Return the words of `text` outside of `expressions` and of words that stand around times, without figures."""
    return [word for word in re.split(r"\W+", _blank_times(text, expressions, words)) if word.isalpha()]


def _blank_times(text: str, expressions: Sequence[TimeReadings], words: Lexicon) -> str:
    """Return the folded text with spaces in place of its times and of the words that stand around times."""
    text_outside = blank_spans(text, iterate_spans(expressions)).casefold()
    return _compile_around(words.around_time).sub(" ", text_outside)


@cache
def _compile_around(around_time: tuple[str, ...]) -> re.Pattern[str]:
    """Match any of the words that stand around times."""
    longest_first = sorted(around_time, key=len, reverse=True)
    edged = (rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if word.isascii() else word for word in longest_first)
    return re.compile("|".join(edged))


def make_time_words(text: str, expression: TimeReadings) -> TimeWords:
    """Return an expression that was read in `text`; one that is over has its past reading."""
    readings = expression.readings or expression.past[:1]
    covered = [text[start:end] for start, end in readings[0].spans]
    return TimeWords(words=" ".join(covered), readings=readings, is_ambiguous=expression.ambiguous)


def parse_amount(
    piece: str, words: Lexicon, read: Callable[[str, datetime], tuple[TimeReadings, ...]], now: datetime
) -> timedelta | None:
    """Return the length of time that `piece` names; None where it names none."""
    start, bare = mark_seconds(now), piece.strip(EDGE)
    first, _, rest = bare.partition(" ")
    others = (rest,) if rest and first.casefold() in words.around_time else ()  # "for an hour"
    if not words.joint and not find_letters_beside_times(piece, [], words):  # 的
        return None
    for phrase in (form.format(amount=each) for each in (bare, *others) for form in ("{amount}", *words.amount_ahead)):
        for expression in read(phrase, start):
            reading = (expression.readings or expression.past)[0]
            is_whole = not find_letters_beside_times(phrase, [expression], words)
            if is_whole and reading.rrule is None and reading.start.second:
                return abs(reading.start - start)
    return None


def strip_time_words(piece: str, words: Lexicon) -> str:
    """Return words of time without a preposition in front of them or a particle behind them: "5" of "at 5".

    A figure that its article makes a day keeps it: "el día 5" of "para el 5".
    """
    marked = mark_day(piece, words)
    if marked != piece:
        return marked
    is_range = re.search(words.between_times, piece) is not None
    shorter = tidy(piece, [word for word in words.before_time if not is_range or word != "from"])
    for word in words.behind_time:
        shorter = shorter.removesuffix(word)
    return mark_day(shorter, words) or piece.strip()
