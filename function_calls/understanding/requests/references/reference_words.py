"""Find the words of a request that name reminders, in the form that `reminder_id` takes."""

import re
from collections.abc import Iterator
from itertools import takewhile

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.slots.references import find_reference_pieces, normalize_reference
from function_calls.understanding.reading.slots.small_words import strip_edges
from function_calls.understanding.reading.tokens import Token, split_clauses
from function_calls.understanding.requests.chat_reminders import LAST, SEVERAL
from function_calls.understanding.requests.known_reminders import find_due
from function_calls.understanding.requests.people import list_own_reminders, says_remind_me
from function_calls.understanding.requests.references.remarks import (
    find_by_remark,
    find_closest_to_remark,
    find_remark,
    join_forms,
    list_asking_places,
    list_tokens_of_remarks,
    list_untagged_times,
)
from function_calls.understanding.requests.references.unnamed_reminders import find_last_reminder
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.lookup.several import several_in

_MAX_DIGITS = 3
"""The most figures of a number of the list."""
_SHORT_ID = re.compile(r"(?=[a-z]*\d)[a-z][a-z0-9]{3}")
_WORD = re.compile(r"[a-z0-9]+")
_ARTICLES = frozenset({"the", "my", "our"})
_BREAKS = frozenset({"please", "pls", "and", "to", "from", ",", ".", "!", "?", ";", "for", "until", "at", "on", "now"})
"""Words and marks behind the name of a reminder."""
FINAL_INTENTS = frozenset({"delete", "pause", "done", "leave"})
"""Intents for which a name must be right: another reminder would be lost."""


def find_references_in_words(request: RequestContext, *, may_be_several: bool) -> list[str]:
    """Return the references in the words of a request, whether or not there are such reminders."""
    excepted = [name or piece.strip() for piece in _find_excepted(request) for name in _split_names(piece, request)]
    if excepted:
        return [f"all except {' and '.join(excepted)}"]
    pieces = find_reference_pieces(request.reading, request.words)
    definite = [each for each in pieces if each.strip().casefold() not in request.words.indefinite]
    references = [name for each in definite for name in _split_names(each, request)]
    references = list(dict.fromkeys(filter(None, references)))
    days = find_day_words(request)
    names_only_days = not references or references == [days]
    if references == ["all"] or (names_only_days and may_be_several and _says_all(request)):
        return [f"all {days}" if days and may_be_several else "all"]
    return references or (find_by_remark(request) if request.reading.has("REF") else _find_untagged(request))


def find_name_added(reading: MessageReading, words: Lexicon) -> str:
    """Return the name in a message that only adds one to the last request: "and the milk one too"; "" for others."""
    adding = {*words.beside, *words.too}
    name, removed = strip_edges(words.fold(reading.text), {*adding, *words.polite}, words.joint)
    return normalize_reference(name, words) if adding & removed else ""


def _find_excepted(request: RequestContext) -> list[str]:
    """Return the words for the reminders that a request excepts from all; none in 除了吃药，看牙也删掉."""
    words = request.words
    whole = request.reading.text if request.is_part else request.turn.message.text
    spared = words.find_spared(whole) if request.reading.intent in FINAL_INTENTS else ""
    if spared:
        return [spared]
    is_included = not words.joint and request.has_word(words.too)
    return [] if is_included else request.reading.pieces("SPARED")


def _split_names(piece: str, request: RequestContext) -> Iterator[str]:
    """Yield the references in a piece: several where they are joined or a range."""
    bare = normalize_reference(piece, request.words)
    if len(bare.split()) > 1 and SEVERAL.issuperset(bare.split()):
        bare = bare.split()[0]  # "them both"
    together = several_in(piece.strip())
    if together is not None and together.kind == "spoken" and bare == "all":
        yield piece.strip()
        return
    several = None if bare in {"", *SEVERAL} else several_in(bare) or together
    if several is None:
        yield _narrow_all(bare, request)
    elif several.kind == "each":
        yield from (normalize_reference(reference, request.words) for reference in several.references)
    else:
        yield piece.strip()


def _narrow_all(name: str, request: RequestContext) -> str:
    """Return "all" with the words that narrow it, where a name begins with a word for all of them: 所有喝水的."""
    folded = name.casefold()
    for word in sorted(request.words.every, key=len, reverse=True):
        if folded.startswith(word + request.words.joint):
            rest = request.strip_time_words(normalize_reference(name[len(word) :], request.words))
            is_person = rest in find_members(request.turn)  # "all reminders of Ben"
            return rest if is_person else f"all {rest}".rstrip()
    return LAST if folded in request.words.newest else name


def _says_all(request: RequestContext) -> bool:
    """Return whether a request has a word for all reminders, or one for several beside a day."""
    words = request.words
    is_of_days = bool(find_day_words(request)) and request.has_word(words.plural)
    return request.has_word(words.every) or request.has_word(words.all) or is_of_days


def find_day_words(request: RequestContext) -> str:
    """Return the words of the days whose reminders are meant."""
    return request.strip_time_words(request.reading.words("OLD") or request.reading.words("WHEN"))


def _find_untagged(request: RequestContext) -> list[str]:
    """Return references among the untagged words: words for several or the newest, a name, or numbers."""
    several = _find_word_for_several(request)
    if several:
        return [several]
    if request.has_word(request.words.newest):
        return [LAST]
    name = _find_id(request) or _find_name_behind_article(request)
    is_final, reminders = request.reading.intent in FINAL_INTENTS, request.chat_reminders
    # The words of a reason match none.
    if name and (is_final or reminders is None or reminders.matches(name, request.common_words)):
        return [name]
    figures = [
        token
        for token in request.reading.untagged
        if token.form.isdecimal()
        and token.end - token.start <= _MAX_DIGITS
        and not _counts_other_things(token, request)
    ]
    remarks = list_tokens_of_remarks(request) if figures else []
    numbers = [str(int(request.reading.text_of(token))) for token in figures if token not in remarks]
    return numbers or _find_by_untagged_words(request)


def _find_id(request: RequestContext) -> str:
    """Return an id of a reminder, or the first characters of one: letters and figures in one word; "" for none."""
    ids = [request.reading.text_of(token) for token in request.reading.tokens if token.form == "id"]
    short = [word for word in _WORD.findall(request.folded_text) if _SHORT_ID.fullmatch(word)]
    return next(iter([*ids, *short]), "")


def _find_name_behind_article(request: RequestContext) -> str:
    """Return an article with the untagged words behind it, up to a mark: "cancel the dentist"; "" for none."""
    reading = request.reading
    first = next((at for at, form in enumerate(reading.forms) if form in _ARTICLES), None)
    if first is None or not request.words.joint:
        return ""
    behind = zip(reading.tokens[first + 1 :], reading.tags[first + 1 :], strict=True)
    name = list(takewhile(lambda pair: pair[1] == NO_TAG and pair[0].form not in _BREAKS, behind))
    last = name[-1][0] if name else None
    return normalize_reference(reading.text_of(reading.tokens[first], last), request.words)


def _find_word_for_several(request: RequestContext) -> str:
    """Return "both", "them" or "all" where the clauses that ask have an untagged word for it, else ""."""
    words, reading = request.words, request.reading
    if request.has_word(words.always) or _is_all_of_repetition(request):
        return ""
    # "All watered" is a report.
    is_done = reading.intent == "done"
    may_be_order = not is_done or len(split_clauses(reading.tokens)) == 1
    places = [at for at in list_asking_places(request) if reading.tags[at] == NO_TAG]
    text = join_forms(places, request)
    if may_be_order and words.has_any(words.both, text) and not request.has_word(words.both_of_us):
        return "both"
    if may_be_order and words.has_any(words.them, text):
        return "them"
    return "all" if words.has_any(words.all - words.own_one, text) and not is_done else ""


def _is_all_of_repetition(request: RequestContext) -> bool:
    """Return whether a word for "all" belongs to the repetition in front of it: 每个工作日都."""
    reading = request.reading
    behind_time = [form for tag, form in zip(reading.tags, reading.forms[1:], strict=False) if tag == "WHEN"]
    return reading.has_rule and any(form in request.words.plural for form in behind_time)


def _counts_other_things(figure: Token, request: RequestContext) -> bool:
    """Return whether a Chinese word behind a figure says that it counts no reminders: 15床, 12月."""
    behind = next((token.form for token in request.reading.tokens if token.start == figure.end), "")
    is_word = not request.words.joint and behind.isalpha() and behind not in request.words.courtesies
    return is_word and f"一{behind}" not in request.words.ordinals and f"第一{behind}" not in request.words.ordinals


def _find_by_untagged_words(request: RequestContext) -> list[str]:
    """Return the id of the only reminder whose content shares a word with the untagged words, or with a remark."""
    if request.chat_reminders is None or request.discussed_reminder is not None:
        return find_by_remark(request)
    closest = request.find_closest(request.reading.join_untagged(request.words.joint), request.words.skipping)
    closest = closest or find_closest_to_remark(find_remark(request), request)
    is_of_others = says_remind_me(request) and closest not in list_own_reminders(request)  # 不用叫我，孩子奶奶来
    return [] if closest is None or is_of_others or _has_clock_of_last_in_remark(request) else [closest.id]


def _has_clock_of_last_in_remark(request: RequestContext) -> bool:
    """Return whether a remark names the clock of the reminder set last: "make it 8, nobody is home at 7"."""
    due = find_due(find_last_reminder(request), request.now)
    remark = " ".join([find_remark(request), *list_untagged_times(request)])
    clocks = [best.start for best in request.list_readings(remark) if best.has_clock]
    return due is not None and any((at.hour - due.hour) % 12 == 0 and at.minute == due.minute for at in clocks)
