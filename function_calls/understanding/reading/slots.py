"""Turn the tagged words of a message into values: times, amounts, contents, people and references."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache

from msgspec.structs import replace

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.times import TimeWords, iterate_spans, move_to_day
from function_calls.understanding.reading.tokens import mark_seconds
from services.people.zones import find_zone
from services.time_expressions import Reading, TimeReadings

ReadTimes = Callable[[str], tuple[TimeReadings, ...]]

_DAY_AND_FIGURE = re.compile(r"(?P<day>[^\d]*[^\W\d]),? (?P<figure>\d{1,2})")
_EDGE = " \t\n,，.。;；:：、!！?？~…-—"
_LONGEST_FIGURE, _FIGURE_FORMS = 2, 2
_FIGURES = re.compile(r"(\d{1,2})\.?(\d\d)")
_ROUND = 5
_NIGHT_END, _EVENING, _DAY = 6, 18, timedelta(days=1)
_QUOTES = "\"“”'‘’「」『』"
_CLOSING = {"”": "“", "’": "‘", "」": "「", "』": "『", "）": "（"}
"""The opening mark of each closing mark."""
EVERYONE = "everyone"
_MENTION = re.compile(r"(?<=[^\s,，、&])\s*@")
_JOINTS = (" and", "和", "跟", "与", "及", "、", ",", "，")
_AMOUNT = re.compile(r"\d+(\s*(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?))$", re.IGNORECASE)
_FIGURE = re.compile(r"^(?:in )?(\d+)$", re.IGNORECASE)
_NUMBER = re.compile(r"(?:#|no\.? ?|number |第|编号)?(\d{1,3})(?:st|nd|rd|th|个|条|项|号)?", re.IGNORECASE)


def parse_time(pieces: Sequence[str], words: Lexicon, read: ReadTimes) -> TimeWords | None:
    """Return the one coming time that all `pieces` name together; None where they name none, or have other words."""
    text = _insert_colon(_strip_fillers(words.joint.join(piece.strip(_EDGE) for piece in pieces).strip(), words))
    text = mark_day(text, words)
    first, space, rest = text.partition(words.joint) if words.repetitions else (text, "", "")
    text = f"{words.repetitions.get(words.fold(first), first)}{space}{rest}"
    is_code = text.isdecimal() and len(text) > _LONGEST_FIGURE  # 618, 2026: no hour and no amount
    is_read = bool(text) and bool(read(text))  # what has a time of its own is no figure beside "every"
    most = 1 if is_code else _FIGURE_FORMS if is_read and text[:1].isdecimal() else 1 if is_read else None
    phrases = [form.format(time=text) for form in words.as_time[:most]] if text else []
    found = _DAY_AND_FIGURE.fullmatch(text) if words.joint else None
    if found is not None:  # "sat 10"
        phrases.append(f"{found['day']} {words.as_time[1].format(time=found['figure'])}")
    return next(filter(None, (_parse_phrase(phrase, words, read) for phrase in phrases)), None)


def _parse_phrase(phrase: str, words: Lexicon, read: ReadTimes) -> TimeWords | None:
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


def parse_times(pieces: Sequence[str], words: Lexicon, read: ReadTimes) -> list[TimeWords]:
    """Return the times that `pieces` name: one made of all of them, else one for each expression."""
    whole = parse_time(pieces, words, read)
    if whole is None and len(pieces) > 1:
        whole = parse_time(pieces[::-1], words, read)
    if whole is not None:
        return [whole]
    return _carry_day([each for piece in pieces for each in _parse_times_of_piece(piece, words, read)])


def _parse_times_of_piece(piece: str, words: Lexicon, read: ReadTimes) -> list[TimeWords]:
    """Return the times of a piece: of one that lists them, each by itself, bare figures as hours."""
    one = parse_time([piece], words, read)
    if one is not None:
        return [one]
    parts = _distribute_unit([part for part in _split_list(piece, words) if part])
    together = read(piece)
    is_whole = len(together) == len(parts) and not find_letters_beside_times(piece, together, words)
    if len(parts) > 1 and not is_whole:  # unlike 9月5日、12日和19日, of one month
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


def _carry_day(found: list[TimeWords]) -> list[TimeWords]:
    """Return `found` with the day of the first time for later times that name a clock alone.

    An hour of the night behind a late hour is on the next day.
    """
    if not found or not found[0].best.has_day:
        return found
    return [_move_to_day_of(found[0].best, each) for each in found]


def _move_to_day_of(first: Reading, time: TimeWords) -> TimeWords:
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
    covered = {at for start, end in iterate_spans(expressions) for at in range(start, end)}
    left = "".join(" " if at in covered else letter for at, letter in enumerate(text)).casefold()
    return _compile_around(words.around_time).sub(" ", left)


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
    start, bare = mark_seconds(now), piece.strip(_EDGE)
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


def extract_content(reading: MessageReading, words: Lexicon) -> str:
    """Return the words with the tag of a content, as they are written.

    A content in front of the request is a reason or an event, unless the request itself has no more than a verb.
    """
    spans = [_include_article(reading, span, words) for span in reading.spans("CONTENT")]
    begin = max((start for start, _ in reading.spans("PERSON")), default=0)
    behind = [span for span in spans if span[0] >= begin]
    if behind and len(reading.text[behind[0][0] : behind[-1][1]].strip()) > 1:
        spans = behind
    texts = [reading.text[start : _find_end_of_word(reading.text, start, end, words)] for start, end in spans]
    first, *others = [_tidy_content(text, words) for text in texts] or [""]
    links = [_find_link(reading, start, words) for start, _ in spans[1:]]
    pieces = [first, *(f"{link}{piece}" for link, piece in zip(links, others, strict=True) if piece)]
    content = (" " if words.joint else "，").join(piece for piece in pieces if piece)
    return "" if words.fold(content) in words.but else content  # "but on Thursdays tell Ann"


def _find_end_of_word(text: str, start: int, end: int, words: Lexicon) -> int:
    """Return where the last word of a content ends: an address has marks within it."""
    if not words.joint and "://" not in text[start:end]:
        return end + (text[end : end + 1] in _CLOSING and text.count(_CLOSING[text[end]], start, end) == 1)
    while end < len(text) and not text[end].isspace() and text[end : end + 2].strip(_EDGE + _QUOTES):
        end += 1
    return end


def _tidy_content(text: str, words: Lexicon) -> str:
    """Return a content without leading words that link it; a relative keeps its possessive: 我妈."""
    bare = _trim(text)
    is_kin = any(bare.startswith(f"{word}{kin}") for word in words.oneself for kin in words.kinship_terms)
    return bare if is_kin else tidy(bare, words.before_content)


def _include_article(reading: MessageReading, span: tuple[int, int], words: Lexicon) -> tuple[int, int]:
    """Return the span of a content with the untagged article in front of it: "of the standup"."""
    for token, tag in reading.tagged:
        if token.form in words.articles and tag == NO_TAG and reading.text[token.end : span[0]].isspace():
            return token.start, span[1]
    return span


def _find_link(reading: MessageReading, start: int, words: Lexicon) -> str:
    """Return the preposition or "and" in front of a later piece of a content: "email Bob tomorrow | about it"."""
    at = sum(token.end <= start for token in reading.tokens) - 1
    if at < 0 or reading.tags[at] != NO_TAG:
        return ""
    token, is_listed = reading.tokens[at], bool(words.joint) and reading.tags[at - 1] == "CONTENT"
    is_link = token.form in words.prepositions or (is_listed and token.form in words.and_words)
    return f"{reading.text_of(token)} " if is_link else ""


def tidy(piece: str, before: Iterable[str]) -> str:
    """Return `piece` without marks around it and without the words in `before` in front of it."""
    piece = _trim(piece)
    for word in before:
        is_ahead = piece.casefold().startswith(word) and len(piece) > len(word) + 1
        if is_ahead and (not word[-1].isascii() or not piece[len(word)].isalnum()):
            piece = _trim(piece[len(word) :])
    return piece


def _trim(piece: str) -> str:
    piece = piece.strip(_EDGE)
    if piece[:1] in _QUOTES and piece[-1:] in _QUOTES and len(piece) > 1:
        piece = piece[1:-1].strip(_EDGE)
    return piece


def extract_people(reading: MessageReading, words: Lexicon) -> str | None:
    """Return the people that are named, "everyone", or None for the sender alone."""
    people = [_trim(piece).removesuffix("'s").removesuffix("’s") for piece in reading.pieces("PERSON")]
    people = [_strip_article(_strip_prepositions(_strip_verb(name, words), words), words) for name in people]
    people = [_strip_preposition_behind(name, words) for name in people]
    if len(people) > 1:  # "recuérdanos a Ana y a mí": the verb says no more than the names
        people = [name for name in people if not has_pronoun(name, words, words.everyone_endings)] or people
    people = [name for name in people if any(map(str.isalnum, name))]  # no ")" of ";)"
    people = [name for name in people if not has_pronoun(name, words, words.oneself_endings)]
    if not people or all(_is_oneself(name, words) for name in people):
        return None
    excepted = next(filter(None, (_find_excepted(name, words) for name in people)), "")
    if excepted:
        return f"{EVERYONE} except {excepted}"
    for name in people:
        folded = words.fold(name).lstrip("@")
        if folded in words.both_of_us:
            return folded
        is_verb = has_pronoun(name, words, words.everyone_endings)
        if is_verb or folded in words.everyone or _is_whole_group(folded, words):
            return EVERYONE
    return ", ".join(dict.fromkeys(_MENTION.sub(_separate_mention, name) for name in people))


def _strip_verb(names: str, words: Lexicon) -> str:
    """Return Chinese names without the end of the verb in front of them: 只提|醒Momo和老K."""
    return names if words.joint else names.lstrip("".join(words.reminding)) or names


def _strip_preposition_behind(names: str, words: Lexicon) -> str:
    """Return names without the preposition behind them that leads to the content: "everyone of"."""
    ahead, space, last = names.rpartition(words.joint) if words.joint else ("", "", "")
    return ahead if space and last.casefold() in words.prepositions else names


def _strip_prepositions(names: str, words: Lexicon) -> str:
    """Return names without the prepositions and articles in front of each, and without the verb: "a mí y a Luz"."""
    text = names.split() if words.person_marks else []
    names_only: list[str] = []
    is_first, is_marked = True, False
    for word, following in zip(text, [*text[1:], ""], strict=False):
        is_article = is_marked and word in words.articles and following[:1].isupper()
        is_marked = is_first and word in words.person_marks
        is_first = word.endswith(",") or word in words.and_words
        if not (is_marked or is_article or words.fold(word) in words.reminding):
            names_only.append(word)
    names_only = names_only or text
    return " ".join(names_only) if len(names_only) < len(text) else names


def _strip_article(name: str, words: Lexicon) -> str:
    """Return a name without the article that stands in front of it where people speak so: "la Mari"."""
    article, _, rest = name.partition(" ")
    return rest if words.before_names and words.fold(article) in words.articles and rest[:1].isupper() else name


def has_pronoun(name: str, words: Lexicon, endings: tuple[str, ...]) -> bool:
    """Return whether a word is a verb such as "dímelo", with one of `endings`, which say whom it is for."""
    folded = words.fold(name)
    return folded.isalpha() and folded.startswith(words.asking_stems) and folded.endswith(endings)


def find_place(text: str, around: Collection[str], words: Lexicon) -> str:
    """Return the place that `text` is but for the words `around` it; "" for other texts."""
    place, _ = strip_edges(words.fold(text), around, words.joint)
    return place if find_zone(place) is not None else ""


def _is_oneself(name: str, words: Lexicon) -> bool:
    """Return whether a name is a pronoun for the person who asks: "me", 我."""
    folded = words.fold(name)
    return folded in words.oneself or (
        words.joint != "" and words.oneself.issuperset({*folded.split()} - {*words.person_marks})
    )


def _is_whole_group(name: str, words: Lexicon) -> bool:
    """Return whether a name means everyone in the chat: "all leaders", "the whole choir", "everyone and Kim"."""
    if any(name.startswith(f"{word}{words.joint}") for word in words.all_of):
        return True
    first, _, bare = name.partition(" ")
    if bare and first in words.everyone and bare.partition(" ")[0] in words.and_words:
        return True
    if bare and any(name.endswith(f" {word}") for word in words.whole_of):  # "coro completo"
        return True
    is_group = bare in words.everyone or any(bare.startswith(f"{word} ") for word in words.whole_of)
    return first in words.articles and is_group


def _separate_mention(mention: re.Match[str]) -> str:
    """Return the mark of a mention with a comma in front of it, where no other word joins it to the one before."""
    before = mention.string[: mention.start()]
    return mention[0] if before.endswith(_JOINTS) else f", {mention[0].strip()}"


def _find_excepted(name: str, words: Lexicon) -> str:
    """Return who is excepted from everyone: "Kim" of "everyone but Kim"; "" for nobody."""
    folded = words.fold(name)
    for word in words.exceptions:
        before, found, behind = f"{words.joint}{folded}".partition(f"{words.joint}{word}{words.joint}")
        if before and found and not words.joint and any(group.endswith(behind[1:]) for group in words.everyone):
            return name[: len(before)]  # 小李以外的人
        if behind and (not before or before.strip() in words.everyone):
            excepted = name[len(name) - len(behind) :].strip()
            for ending in (*words.exceptions, *words.everyone):
                excepted = excepted.removesuffix(ending)
            return excepted.strip(_EDGE)
    return ""


def extract_references(reading: MessageReading, words: Lexicon) -> list[str]:
    """Return the names of reminders in the message; empty where it names none."""
    names = (normalize_reference(piece, words) for piece in find_reference_pieces(reading, words))
    return list(dict.fromkeys(filter(None, names)))


def find_reference_pieces(reading: MessageReading, words: Lexicon) -> list[str]:
    """Return the pieces of text that name reminders, as they are written."""
    whole = _find_reference_spans(reading, words)
    spans = [span for span in whole if words.fold(reading.text[slice(*span)]) not in words.articles]
    together = [spans[0]] if spans else []
    for span in spans[1:]:
        between = reading.text[together[-1][1] : span[0]].strip(_EDGE + " 的")
        is_beside = words.fold(reading.text[span[1] :]).lstrip().startswith(words.too)  # 看牙别提醒了，跑步也是
        if between in words.and_words or is_beside:
            together.append(span)
    if len(together) < len(spans) and len(together) == 1:
        marked_ones = [
            span for span in spans if any(word in reading.text[slice(*span)] for word in words.reference_marks)
        ]
        together = marked_ones[:1] or together
    names = [reading.text[start:end] for start, end in together]
    is_pronoun = all(words.fold(name).strip() in words.itself for name in names)
    names = [] if is_pronoun and reading.has("OLD") else names
    old = [] if names else reading.spans("OLD")[:1]
    if old and _is_retracted(reading.text[: old[0][0]], words):
        return []
    return names or [strip_time_words(reading.text[start:end], words) for start, end in old]


def _find_reference_spans(reading: MessageReading, words: Lexicon) -> list[tuple[int, int]]:
    """Return the spans of references, with the day or clock that is part of the name: "the Monday review"."""
    spans = reading.spans("REF")
    pronouns = words.all | words.both | words.them | words.itself
    if any(words.fold(reading.text[slice(*span)]).strip() in pronouns for span in spans):
        return spans
    for start, end in reading.spans("OLD"):
        behind = next((span for span in spans if not reading.text[end : span[0]].strip(" 的") and end <= span[0]), None)
        if behind is None:
            continue
        ahead = next((span for span in spans if span[1] <= start and not reading.text[span[1] : start].strip()), None)
        spans = [span for span in spans if span not in {ahead, behind}]
        spans.append((start if ahead is None else ahead[0], behind[1]))
    return sorted(spans)


def _is_retracted(before: str, words: Lexicon) -> bool:
    """Return whether the words in front of an old time deny it: "7, not 6", "from 5 to 6"."""
    folded = before.casefold().rstrip()
    return any(folded == word or folded.endswith(f"{words.joint}{word}") for word in words.retraction_markers)


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


def strip_leading_word(piece: str, leading: Iterable[str], joint: str) -> str:
    """Return `piece` without the first of the words `leading` that it begins with."""
    bare = piece.strip()
    for word in leading:
        if bare.casefold().startswith(word + joint):
            return bare[len(word + joint) :].strip()
    return bare


def strip_edges(text: str, small: Iterable[str], joint: str) -> tuple[str, set[str]]:
    """Return `text` without marks and the words `small` at its edges, and those of them that stood there."""
    ordered, removed = sorted(small, key=len, reverse=True), set[str]()

    def is_apart(beside: str) -> bool:
        return not (joint and beside.isalnum())

    while True:
        text = text.strip("".join(sign for sign in set(text) if not sign.isalnum()))
        first = next((word for word in ordered if text.startswith(word) and is_apart(text[len(word) :][:1])), "")
        last = next((word for word in ordered if text.endswith(word) and is_apart(text[: -len(word)][-1:])), "")
        word = first or last
        if not word or word == text:
            return text, removed
        removed.add(word)
        text = text[len(word) :] if first else text[: -len(word)]


def is_figure(piece: str) -> bool:
    """Return whether `piece` is a number and nothing else."""
    return piece.strip(_EDGE).isdecimal()


def normalize_reference(piece: str, words: Lexicon) -> str:
    """Return the words that name a reminder; "" for a pronoun, "all", "both" or "them" for several."""
    name = _trim(piece)
    bare = words.fold(name).lstrip("@")
    for meaning, names in (("", words.itself), ("all", words.all), ("both", words.both), ("them", words.them)):
        if bare in names:
            return meaning
    shorter = _strip_edge(name, words)
    while shorter != name:
        if mark_day(shorter, words) != shorter:  # "el del 18" is that of a day, "el 18" may be the one with this number
            return mark_day(shorter, words)
        name, shorter = shorter, _strip_edge(shorter, words)
    pointing = words.itself.intersection(words.demonstratives)  # "de eso"
    if words.joint and words.fold(name) in pointing.union(words.before_reference):
        return ""
    number = _NUMBER.fullmatch(name)
    return number[1] if number else str(words.ordinals.get(words.fold(name), name))


def _strip_edge(name: str, words: Lexicon) -> str:
    """Return `name` without one word at an edge that names nothing: "the", "reminder", 那个."""
    for word in words.before_reference:
        if _begins(name, word, words.joint):
            return _trim(name[len(word) :])
    for word in words.behind_reference:
        if _ends(name, word, words.joint):
            return _trim(name[: -len(word)]).removesuffix("'s").removesuffix("’s")
    return name


def _begins(name: str, word: str, joint: str) -> bool:
    return name.casefold().startswith(word + joint) and len(name) > len(word + joint)


def _ends(name: str, word: str, joint: str) -> bool:
    joint = "" if word.startswith("'") else joint
    return name.casefold().endswith(joint + word) and len(name) > len(joint + word)


def are_function_words(forms: Iterable[str], words: Lexicon, others: Iterable[str] = ()) -> bool:
    """Return whether words are no more than courtesies, links, prepositions of times and `others`."""
    small = {
        *others,
        *words.courtesies,
        *words.links,
        *words.around_time,
        *words.polite,
        *words.correction_fillers,
        *words.corrections,
    }
    if words.joint:
        return all(form in small or not form.isalpha() for form in forms)
    rest = "".join(forms)
    for word in sorted(small, key=len, reverse=True):
        rest = rest.replace(word, "")
    return not any(map(str.isalnum, rest))


def is_clock_alone(reading: Reading) -> bool:
    """Return whether a reading names a clock and neither a day nor a repetition."""
    return reading.rrule is None and reading.has_clock and not reading.has_day
