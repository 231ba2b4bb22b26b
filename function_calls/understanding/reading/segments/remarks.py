"""Tell the sentence of a message that asks from those that only remark something."""

from collections.abc import Iterable, Iterator, Sequence

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NOTHING, Classify, MessageReading, Read
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.slots.time_words import find_letters_beside_times
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, Token, is_time

MAX_PARTS = 8
"""The most parts, sentences or joints of a message that are read by themselves."""
REMARKED_ON = frozenset(
    {"move", "delete", "undo", "skip", "pause", "resume", "snooze", "keep_days", "add_days", "until", "once", "reword"}
    | {"when_is", "done", "list", "summary"}
)
"""Intents of sentences that people give a reason for, or say something else beside."""
_TIMELESS = frozenset({"delete", "undo", "resume", "when_is", "done", "list", "summary"})
"""Intents without a time: a time in a remark beside such a request does not belong to it."""
_CLOCKS = frozenset({"@clock", "@part"})
_DAYS = frozenset({"@day", "@dayclock", "@daypart", "@rule", "@ruletime"})
MIN_REMARK_PROBABILITY = 0.7
"""The probability from which a sentence asks for nothing."""


def drop_remarks(reading: MessageReading, words: Lexicon, classify: Classify, read: Read) -> MessageReading:
    """Return the only sentence that asks for a change, where all others ask for nothing: "it rains, make it 6".

    Return the last one as well where it asks to remind and the whole message is no sure request.
    """
    sentences = list(_split_sentences(reading))
    is_set = reading.intent == "set" and reading.is_certain
    if is_set or not 1 < len(sentences) <= MAX_PARTS:
        return reading
    sentence, intent = _find_only_request(sentences, classify)
    if not sentence:
        return reading
    ends_with_set = reading.intent in {NOTHING, "set"} and intent == "set"
    ends_with_set = ends_with_set and _ends_with_request(sentence, reading, words)
    if not ends_with_set and not _is_change_beside_remarks(sentence, intent, reading, words):
        return reading
    has_only_time = not find_letters_beside_times(words.joint.join(_list_words(sentence)), [], words)
    if (
        has_only_time
        or lacks_day(sentence, reading.tokens)
        or _is_about_day_of_other_sentence(sentence, reading, words)
    ):
        return reading
    alone = read(reading.text_of(sentence[0], sentence[-1]))
    lacks_text = alone.intent == "reword" and reading.has("CONTENT") and not alone.has("CONTENT")
    lacks_slot = ends_with_set and not (alone.has("WHEN") and alone.has("CONTENT"))
    return reading if lacks_text or lacks_slot else alone


def _find_only_request(sentences: Sequence[Sequence[Token]], classify: Classify) -> tuple[Sequence[Token], str]:
    """Return the only one of `sentences` that surely is a request, with its intent; an empty one for no such."""
    intents = [dict(classify(sentence)) for sentence in sentences]
    requests = [at for at, each in enumerate(intents) if each[NOTHING] < MIN_REMARK_PROBABILITY]
    if len(requests) != 1 or intents[requests[0]][NOTHING] > 1 - MIN_REMARK_PROBABILITY:
        return (), ""
    return sentences[requests[0]], next(iter(intents[requests[0]]))


def _is_change_beside_remarks(sentence: Sequence[Token], intent: str, reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a sentence of `intent` is a change that other sentences give a reason for, and not its time."""
    has_all_times = any(map(is_time, sentence)) or not any(map(is_time, reading.tokens))
    if reading.intent == "set" or intent not in (REMARKED_ON if has_all_times else _TIMELESS):
        return False
    own = _list_words(sentence)
    if not words.adjusting.isdisjoint(own):
        return False  # "dinner is an hour later, adjust the reminder"
    return not are_function_words([form for form in _list_words(reading.tokens) if form not in own], words)


def _list_words(tokens: Sequence[Token]) -> list[str]:
    """Return the forms of tokens that are no times."""
    return [token.form for token in tokens if token.form[0] != "@"]


def _ends_with_request(sentence: Sequence[Token], reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message ends with a sentence that says "remind": "me. remind me at 9 to wash up"."""
    text = words.joint.join(token.form for token in sentence)
    is_last = not any(token.form.isalnum() for token in reading.tokens if token.start >= sentence[-1].end)
    return is_last and words.has_trigger(text)


def _is_about_day_of_other_sentence(sentence: Sequence[Token], reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a sentence is about the day of another one: 周四下雨，那天别提醒; 周末休息，不用叫."""
    days = [token for token in reading.tokens if token.form in _DAYS]
    if not days or any(day in sentence for day in days):
        return False
    is_left_out = any(words.fold(reading.text[day.end :]).startswith(words.exclusion_endings) for day in days)
    return is_left_out or words.has_any(words.same_day_phrases, words.joint.join(token.form for token in sentence))


def lacks_day(part: Iterable[Token], tokens: Iterable[Token]) -> bool:
    """Return whether a part of a message names a clock without a day, which the rest of the message names."""
    own, every = ({token.form for token in each} for each in (part, tokens))
    return bool(own & _CLOCKS and not own & _DAYS and every & _DAYS)


def _split_sentences(reading: MessageReading) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each sentence, and of each part of one that a mark ends outside of quotation marks."""
    first = 0
    for at, token in enumerate(reading.tokens):
        is_quoted = reading.text[: token.start].count('"') % 2 == 1
        if token.form in CLAUSE_ENDS and at > first and not is_quoted and _ends_sentence(reading.text, token):
            yield reading.tokens[first:at]
            first = at + 1
    if first < len(reading.tokens):
        yield reading.tokens[first:]


def _ends_sentence(text: str, token: Token) -> bool:
    """Return whether a mark ends a sentence, and does not stand within an address or behind the number of a point."""
    is_numbered = token.form == "." and text[: token.start][-1:].isdecimal()
    return not token.form.isascii() or (text[token.end : token.end + 1].isspace() and not is_numbered)
