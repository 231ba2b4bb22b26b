"""Find the references to reminders in a request, in the form that `reminder_id` takes."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise, takewhile

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.reminder_words import find_pairs, find_stems
from function_calls.understanding.reading.slots.references import find_reference_pieces, normalize_reference
from function_calls.understanding.reading.slots.small_words import are_function_words, strip_edges
from function_calls.understanding.reading.slots.time_words import mark_day
from function_calls.understanding.reading.tokens import Token, is_time, split_clauses
from function_calls.understanding.requests.known_reminders import (
    JUST_NOW,
    find_due,
    find_last_reminder,
    leave_out_moved,
    list_last_reminders,
    list_set_by_call,
    list_set_by_other,
    list_untagged_times,
)
from function_calls.understanding.requests.people import list_own, reminds, reminds_only, says_remind_me
from function_calls.understanding.requests.reference_resolution import SEVERAL, ChatReminders
from function_calls.understanding.requests.request_context import RequestContext, cache_per_request
from services.reminders.lookup.finder import is_for_everyone
from services.reminders.lookup.references import is_in, is_moved_from
from services.reminders.lookup.several import several_in
from services.reminders.model import Reminder

LAST, IT = "last", "it"
_MOST_FIGURES = 3
"""The most figures of a number of the list."""
_SHORT_ID = re.compile(r"(?=[a-z]*\d)[a-z][a-z0-9]{3}")
_WORD = re.compile(r"[a-z0-9]+")
_ARTICLES = frozenset({"the", "my", "our"})
INDEFINITE = frozenset({"a", "an", "un", "una"})
_BREAKS = frozenset({"please", "pls", "and", "to", "from", ",", ".", "!", "?", ";", "for", "until", "at", "on", "now"})
"""Words and marks behind the name of a reminder."""
_FINAL_INTENTS = frozenset({"delete", "pause", "done", "leave"})
"""Intents for which a name must be right: another reminder would be lost."""
_INTENTS_FOR_SEVERAL = frozenset({"list", "when_is", "who_set", "join", "person_add"})
"""Intents that are not for one of several reminders of a name."""
_SERIES_INTENTS = frozenset({"skip", "keep_days", "until", "pause"})
"""Intents of repeating reminders, which an occurrence that was moved is not."""
_DAY_INTENTS = frozenset({"delete", "skip"})
"""Intents whose day is that of the reminder."""
_CHANGE_TAGS = frozenset({"WHEN", "LATER", "EARLIER", "PERSON", "UNTIL"})
"""Tags of words that say what is to change."""


def find_references(request: RequestContext, *, may_be_several: bool = False) -> list[str]:
    """Return the references in a request; empty where it names no reminder.

    `may_be_several` says that words for all of them may stand beside the name: "everything for tomorrow".
    """
    named, reminders = _find_references_in_words(request, may_be_several=may_be_several), request.chat_reminders
    named = [name for name in named if name != "both"] or named  # "both, the dentist and the rent"
    if reminders is None:
        return named
    named = [_spell_as_known(name, request, reminders) for name in named]
    former = [] if request.reading.has("REF") else _find_at_former_clock(request)
    return former or _find_own_references(named, request) or _resolve_references(named, request, reminders)


def _spell_as_known(name: str, request: RequestContext, reminders: ChatReminders) -> str:
    """Return a name in the characters in which the text of a reminder has it: 吃药 for 吃藥."""
    if not request.words.folding or reminders.can_resolve(name):
        return name
    folded = request.words.fold(name)
    found = ((each.content, request.words.fold(each.content).find(folded)) for each in reminders.coming)
    return next((content[at : at + len(name)] for content, at in found if at >= 0), name)


@cache_per_request
def find_named_reminder(request: RequestContext) -> Reminder | None:
    """Return the only reminder that a request names, or the one set last; None for none or several."""
    if request.chat_reminders is None:
        return None
    references = find_references(request)
    if not references:
        return find_last_reminder(request)
    found = [reminder for name in references for reminder in request.resolve(name)]
    return found[0] if len(found) == 1 else None


def _resolve_references(named: list[str], request: RequestContext, reminders: ChatReminders) -> list[str]:
    """Return the references that name an existing reminder; those that name none where a change must not guess."""
    if not named:
        return []
    if _retracts_time(request):
        return _resolve_retracted_time(named, request, reminders)
    if any(name.startswith("all ") for name in named):
        return named
    dated = _find_by_day(named, request)
    if dated is not None:
        return [dated.id]
    is_final = request.reading.intent in _FINAL_INTENTS
    resolvable = [name for name in named if reminders.can_resolve(name)]
    if resolvable:
        only = None
        if len(named) == 1:
            only = _choose_of_same_name(named[0], request, reminders) or _choose_own(named[0], request)
        return [only.id] if only is not None else named if is_final else resolvable
    closest = _list_closest(request.words.joint.join(named), request, reminders)
    if len(closest) == 1:
        return [closest[0].id]
    if len(closest) > 1 and len(named) == 1:
        return named
    like = None if request.words.joint else find_closest_to_remark(_join_remarks(request), request)
    if like in list_own(request) and (not request.reading.has("REF") or set("".join(named)) & set(like.content)):
        return [like.id]  # 牛奶到货了，不用提醒我买了
    return [] if request.may_point and not is_final and _has_change_without_reference(request) else named


def _retracts_time(request: RequestContext) -> bool:
    """Return whether a request corrects the time that was set last, without a name: "7, not 6"."""
    has = request.reading.has
    return request.may_point and request.last_set is not None and has("OLD") and has("WHEN") and not has("REF")


def _resolve_retracted_time(named: list[str], request: RequestContext, reminders: ChatReminders) -> list[str]:
    """Return the reminders at a time that a request retracts; none, for the one set last, if that comes then."""
    content = None if request.last_set is None else request.last_set.arguments.get("content")
    found = [reminder for name in named for reminder in request.resolve(name)]
    is_last = any(each.content == content for each in found)
    is_listed = named[0].isdecimal() and request.now - reminders.shown.at <= JUST_NOW
    return [] if is_last and not is_listed else list(dict.fromkeys(each.id for each in found))


def _list_closest(name: str, request: RequestContext, reminders: ChatReminders) -> tuple[Reminder, ...]:
    """Return the reminders whose text shares most with a name, or has its act.

    Of several they are those at its time, whose whole text ends it, or the only one for nobody but the sender; else
    those whose first word it has: "ringing Dad" means "ring Dad".
    """
    closest = reminders.find_closest(name, request.common_words) or reminders.find_act(name, request.common_words)
    closest = reminders.filter_by_time(name, closest) if len(closest) > 1 else closest
    closest = tuple(each for each in closest if name.casefold().endswith(each.content.casefold())) or closest
    own = tuple(each for each in closest if reminds_only(each, request.turn.message.sender))
    if len(own) == 1 or len(closest) < 2:
        return own or closest
    stems = find_stems(name, ())
    return tuple(each for each in closest if find_stems(each.content.partition(" ")[0], ()) & stems) or closest


def _find_own_references(named: list[str], request: RequestContext) -> list[str]:
    """Return the only reminder that "mine", "my Friday one" or "everyone's" means; else an empty list."""
    words, sender = request.words, request.turn.message.sender
    name = words.fold(named[0]).removesuffix("'s") if len(named) == 1 else ""
    if name in words.everyone and name not in SEVERAL:
        common = [each for each in request.reminders if is_for_everyone(each)]
        return [each.id for each in common] if len(common) == 1 else []
    pieces = [words.fold(piece).strip() for piece in find_reference_pieces(request.reading, words)]
    if len(pieces) != 1 or len(named) > 1 or not words.has_any(words.own, pieces[0]):
        return []
    if named and named[0].isdecimal() and request.chat_reminders is not None and not request.chat_reminders.shown.ids:
        return [each.id for each in list_own(request)][int(named[0]) - 1 : int(named[0])]
    is_pronoun = pieces[0] in words.own_one
    found = request.reminders if is_pronoun else request.resolve(named[0]) if named else ()
    own = [reminder for reminder in found if reminds_only(reminder, sender)]
    own = [reminder for reminder in own if reminder.creator.id == sender.id] or own
    return [own[0].id] if len(own) == 1 and (is_pronoun or len(found) > 1) else []


def _find_by_day(named: list[str], request: RequestContext) -> Reminder | None:
    """Return the only reminder of the sender on the day that a name is, which is no number of one: 28号那个."""
    is_day = len(named) == 1 and named[0].isdecimal() and int(named[0]) > len(request.reminders)
    words = request.reading.words("OLD") or request.reading.words("REF")
    day = mark_day(words, request.words) if is_day else ""
    single = [each for each in list_own(request) if each.schedule.rule is None]
    found = request.filter_by_time(day, single) if day and request.read_times(day) else ()
    return found[0] if len(found) == 1 else None


def _find_at_former_clock(request: RequestContext) -> list[str]:
    """Return the only reminder of the sender at a clock that no longer holds: "6 is too early, make it 7"."""
    time = request.parse_time(request.reading.pieces("OLD"))
    if time is None or not time.best.has_clock or time.best.rrule is not None:
        return []
    found = request.filter_by_time(time.words, list_own(request))
    last = list_last_reminders(request) if len(found) > 1 else found
    ids = [each.id for each in found if each in last]
    return ids if len(ids) == 1 else []


def _choose_of_same_name(name: str, request: RequestContext, reminders: ChatReminders) -> Reminder | None:
    """Return the one of several reminders of a name on the day that is named.

    Without a day, or where it is a day to skip, it is the one that repeats and of which the others are moved
    occurrences, or the only one that reminds the sender. None where the name is that of one reminder, a time or a
    person, and where several are left.
    """
    found = request.resolve(name)
    closest = reminders.find_closest(name, request.common_words)
    if len(found) < 2 or request.reading.intent in _INTENTS_FOR_SEVERAL or request.read_times(name):
        return None
    may_change = [each for each in found if each in list_own(request)]
    if len(may_change) == 1 and set(found).isdisjoint(closest):
        return may_change[0]  # the name is that of a person
    if not set(found) <= set(closest):
        return None
    day = _find_days(request) if request.reading.has("OLD") or request.reading.intent in _DAY_INTENTS else ""
    fits = request.filter_by_time(day, found) if day else found  # all of them where several days are named
    dated = [each for each in fits if each.schedule.rule is None] if len(fits) < len(found) else []
    if day and (dated or request.reading.intent != "skip"):
        return dated[0] if len(dated) == 1 else None
    found = leave_out_moved(found)
    own = [each for each in found if reminds(each, request.turn.message.sender)]
    return found[0] if len(found) == 1 else own[0] if len(own) == 1 else None


def _choose_own(name: str, request: RequestContext) -> Reminder | None:
    """Return the only reminder of the sender with the words of a name that is the whole text of another person's."""
    found, own = request.resolve(name), list_own(request)
    if len(found) != 1 or found[0] in own or request.reading.intent in _INTENTS_FOR_SEVERAL:
        return None
    fits = [each for each in own if is_in(each.content, name)]
    return fits[0] if len(fits) == 1 and is_in(found[0].content, name) else None


def _has_change_without_reference(request: RequestContext) -> bool:
    """Return whether a clause without the reference says what is to change: "at 8, I play chess at 9".

    In Chinese the clause with the reference must not say so as well: 集体课改到周三了.
    """
    tags, words = request.reading.tags, request.words
    clauses = split_clauses(request.reading.tokens)
    named = [clause for clause in clauses if any(tags[at] == "REF" for at in clause)]
    others = [clause for clause in clauses if clause not in named]
    changing = [clause for clause in clauses if any(tags[at] in _CHANGE_TAGS for at in clause)]
    is_order = not words.joint and any(clause in changing for clause in named)
    if not is_order and any(clause in changing for clause in others):
        return True
    return any(words.has_any(words.change_it, join_forms(clause, request)) for clause in others)


def find_default_reference(request: RequestContext) -> str:
    """Return the reference of a request without a name: "it", or an id where the reminder is not one of the sender's.

    It is the only one that the person has just asked about, or one that another person has set for them; for changes of
    the repetition the one that repeats, not an occurrence of it that was moved.
    """
    if request.discussed_reminder is not None:
        return request.discussed_reminder.id
    if request.chat_reminders is None:
        return IT
    own = list_set_by_call(request.last_set, request)
    has_moved = any(is_moved_from(each, series) for series in own for each in request.reminders)
    if has_moved and (request.reading.intent in _SERIES_INTENTS or request.has_word(request.words.always)):
        return own[0].id
    times = list_untagged_times(request) if len(own) > 1 else []
    fits = {each.id for words in times for each in request.filter_by_time(words, own)}
    if len(fits) == 1:
        return fits.pop()
    last = list_last_reminders(request) if len(list_set_by_other(request)) == 1 else []
    return last[0].id if len(last) == 1 else IT


def find_name_added(reading: MessageReading, words: Lexicon) -> str:
    """Return the name in a message that only adds one to the last request: "and the milk one too"; "" for others."""
    adding = {*words.beside, *words.too}
    name, removed = strip_edges(words.fold(reading.text), {*adding, *words.polite}, words.joint)
    return normalize_reference(name, words) if adding & removed else ""


def find_newest_shared(request: RequestContext) -> Reminder | None:
    """Return the reminder for the person who asks and others that the bot has mentioned last, or the newest of them."""
    sender = request.turn.message.sender
    own = [reminder for reminder in request.reminders if reminds(reminder, sender)]
    day = find_only_time(request)  # "don't wake me tomorrow"
    fits = request.filter_by_time(day, own) if day else ()
    shared = [reminder for reminder in fits or own if not reminds_only(reminder, sender)]
    answers = [message.text for message in reversed(request.turn.recent) if message.sender.is_bot]
    mentioned = [[each for each in shared if f"[{each.id}]" in answer] for answer in answers]
    last = next(filter(None, mentioned), [])
    return last[0] if len(last) == 1 else max(shared, key=lambda each: each.created_at, default=None)


def _find_references_in_words(request: RequestContext, *, may_be_several: bool) -> list[str]:
    """Return the references in the words of a request, whether or not there are such reminders."""
    excepted = [name or piece.strip() for piece in _find_excepted(request) for name in _split_names(piece, request)]
    if excepted:
        return [f"all except {' and '.join(excepted)}"]
    pieces = find_reference_pieces(request.reading, request.words)
    definite = [each for each in pieces if each.strip().casefold() not in request.words.indefinite]
    named = [name for each in definite for name in _split_names(each, request)]
    named = list(dict.fromkeys(filter(None, named)))
    days = _find_days(request)
    names_only_days = not named or named == [days]
    if named == ["all"] or (names_only_days and may_be_several and _says_all(request)):
        return [f"all {days}" if days and may_be_several else "all"]
    return named or (_find_by_remark(request) if request.reading.has("REF") else _find_untagged(request))


def _find_excepted(request: RequestContext) -> list[str]:
    """Return the words for the reminders that a request excepts from all; in Chinese also 除了吃药，看牙也删掉."""
    words = request.words
    whole = request.reading.text if request.is_part else request.turn.message.text
    spared = words.find_spared(whole) if request.reading.intent in _FINAL_INTENTS else ""
    if spared:
        return [spared]
    is_included = not words.joint and request.has_word(words.too)  # 除了吃药，看牙也删掉
    return [] if is_included else request.reading.pieces("SPARED")


def find_only_time(request: RequestContext) -> str:
    """Return the words of the only time of a request; "" for none or several."""
    times = request.reading.times
    return request.reading.text_of(times[0]) if len(times) == 1 else ""


def find_asking_time(request: RequestContext) -> str:
    """Return the words of the only time of the clauses that ask; "" for none or several."""
    places = [at for clause in _list_asking_clauses(request) for at in clause]
    return find_only_time(request.with_reading(request.reading.with_tokens(places)))


def find_asking_text(request: RequestContext) -> str:
    """Return the words of the clauses that ask, not those of a reason: "pause it, we're all together"."""
    return join_forms([at for clause in _list_asking_clauses(request) for at in clause], request)


def join_forms(places: Iterable[int], request: RequestContext) -> str:
    """Return the forms of the tokens at `places` as text."""
    return request.words.joint.join(request.reading.tokens[at].form for at in places)


def _list_asking_clauses(request: RequestContext) -> list[list[int]]:
    """Return the clauses with tags, else all, as the places of their tokens."""
    clauses = [clause for clause in split_clauses(request.reading.tokens) if clause]
    return [clause for clause in clauses if any(request.reading.tags[at] != NO_TAG for at in clause)] or clauses


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


def _is_all_of_repetition(request: RequestContext) -> bool:
    """Return whether a word for "all" belongs to the repetition in front of it: 每个工作日都."""
    reading = request.reading
    behind_time = [form for tag, form in zip(reading.tags, reading.forms[1:], strict=False) if tag == "WHEN"]
    return reading.has_form("@rule") and any(form in request.words.plural for form in behind_time)


def _says_all(request: RequestContext) -> bool:
    """Return whether a request has a word for all reminders, or one for several beside a day."""
    words = request.words
    is_of_days = bool(_find_days(request)) and request.has_word(words.plural)
    return request.has_word(words.every) or request.has_word(words.all) or is_of_days


def _find_days(request: RequestContext) -> str:
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
    is_final, reminders = request.reading.intent in _FINAL_INTENTS, request.chat_reminders
    # The words of a reason match none.
    if name and (is_final or reminders is None or reminders.matches(name, request.common_words)):
        return [name]
    figures = [
        token
        for token in request.reading.untagged
        if token.form.isdecimal()
        and token.end - token.start <= _MOST_FIGURES
        and not _counts_other_things(token, request)
    ]
    remarks = _list_tokens_of_remarks(request) if figures else []
    numbers = [token for token in figures if token not in remarks or not _is_hour_figure(token, request)]
    is_in_remark = any(token in remarks for token in numbers)
    may_be_named = not numbers or (is_in_remark and request.has_phrase(request.words.triggers))  # "that reminder"
    found = _find_by_untagged_words(request) if may_be_named else []
    return found or [str(int(request.reading.text_of(token))) for token in numbers]


def _find_word_for_several(request: RequestContext) -> str:
    """Return "both", "them" or "all" where the clauses that ask have an untagged word for it, else ""."""
    words, reading = request.words, request.reading
    if request.has_word(words.always) or _is_all_of_repetition(request):
        return ""
    # "All watered" is a report.
    is_done, is_one_clause = reading.intent == "done", sum(map(bool, split_clauses(reading.tokens))) == 1
    places = [at for clause in _list_asking_clauses(request) for at in clause if reading.tags[at] == NO_TAG]
    text = join_forms(places, request)
    if words.has_any(words.both, text) and not request.has_word(words.both_of_us) and (is_one_clause or not is_done):
        return "both"
    if words.has_any(words.them, text) and (is_one_clause or not is_done):
        return "them"
    return "all" if words.has_any(words.all - words.own_one, text) and not is_done else ""


def _list_tokens_of_remarks(request: RequestContext) -> list[Token]:
    """Return the tokens of clauses with words of their own beside the one that asks: "smith moved to 11, …"."""
    tokens, tags, words = request.reading.tokens, request.reading.tags, request.words
    clauses = [clause for clause in split_clauses(tokens) if clause]
    untagged = [[tokens[at] for at in clause] for clause in clauses if all(tags[at] == NO_TAG for at in clause)]
    naming = (*words.triggers, *words.reference_marks)
    return [
        token
        for clause in (untagged if len(untagged) < len(clauses) else [])
        if (forms := [each.form for each in clause if not each.form.isdecimal()])
        if not words.has_any(naming, words.joint.join(forms))
        if not are_function_words(forms, words)
        for token in clause
    ]


def _is_hour_figure(figure: Token, request: RequestContext) -> bool:
    """Return whether a figure is an hour: "I'm travelling till 5"."""
    before = next((one.form for one, other in pairwise(request.reading.tokens) if other == figure), "")
    return before in {*request.words.before_time, *request.words.until_words} - request.words.articles


def _counts_other_things(figure: Token, request: RequestContext) -> bool:
    """Return whether a Chinese word behind a figure says that it counts no reminders: 15床, 12月."""
    behind = next((token.form for token in request.reading.tokens if token.start == figure.end), "")
    is_word = not request.words.joint and behind.isalpha() and behind not in request.words.courtesies
    return is_word and f"一{behind}" not in request.words.ordinals and f"第一{behind}" not in request.words.ordinals


def _find_by_remark(request: RequestContext) -> list[str]:
    """Return the id of the only reminder that shares a word with a remark beside "it": "signed already, bin that"."""
    like = find_closest_to_remark(_join_remarks(request), request)
    if like is None and request.words.joint:  # "puppies leave on Monday so stop that reminder"
        start = min((start for start, _ in request.reading.spans("REF")), default=0)
        ahead = [token.form for token in request.reading.untagged if token.start < start and not is_time(token)]
        like = find_closest_to_remark(request.words.joint.join(ahead), request)
    return [] if like is None else [like.id]


def _join_remarks(request: RequestContext) -> str:
    """Return the words around the request and of its clauses that neither say nor point at what is asked."""
    reading = request.reading
    tokens, tags = reading.tokens, reading.tags
    beside = [
        reading.text_of(tokens[clause[0]], tokens[clause[-1]])
        for clause in split_clauses(tokens)
        if clause and {tags[at] for at in clause} <= {NO_TAG, "REF"}
    ]
    pointing = [piece for piece in reading.pieces("REF") if not normalize_reference(piece, request.words)]
    remarks = [remark for remark in beside if not any(piece in remark for piece in pointing)]
    return " ".join([find_remark(request), *remarks])


def names_unknown_matter(request: RequestContext, fewest: int = 2) -> bool:
    """Return whether words beside "it" name a thing that none of `fewest` reminders is about: "the slip is signed, …".

    A thing has an article in front; in Chinese it stands ahead of the person who has done it or of a word such as 不用.
    """
    own = [] if request.discussed_reminder is not None and fewest > 1 else list_own(request)
    words, common = request.words, request.common_words
    remark = words.fold(_join_remarks(request))
    if len(own) < fewest or find_closest_to_remark(remark, request) is not None:
        return False
    if words.joint:
        definite = words.articles - INDEFINITE
        neighbours = pairwise(re.findall(r"\w+", remark))
        return any(article in definite and noun not in common for article, noun in neighbours)
    letters = {*remark} - common
    if any(letters & {*each.content} for each in own):
        return False
    marks = (*words.oneself, *words.exclusion_endings)
    clauses = filter(None, re.split(r"[\s,，。；！？]+", remark))
    return any(min((clause.find(mark) for mark in marks if mark in clause), default=0) > 1 for clause in clauses)


def find_closest_to_remark(remark: str, request: RequestContext) -> Reminder | None:
    """Return the only reminder that shares a word with a remark, which may be about anything."""
    words = request.words
    ignored = {*words.copulas_of_events, *words.second_person, *words.skipping}
    common = request.common_words | ignored
    return request.find_closest(remark, ignored) if find_stems(remark, common) or find_pairs(remark, common) else None


def _find_by_untagged_words(request: RequestContext) -> list[str]:
    """Return the id of the only reminder whose content shares a word with the untagged words, or with a remark."""
    if request.chat_reminders is None or request.discussed_reminder is not None:
        return _find_by_remark(request)
    like = request.find_closest(request.reading.join_untagged(request.words.joint), request.words.skipping)
    like = like or find_closest_to_remark(find_remark(request), request)
    is_of_others = says_remind_me(request) and like not in list_own(request)  # 不用叫我，孩子奶奶来
    return [] if like is None or is_of_others or _has_clock_of_last_in_remark(request) else [like.id]


def _has_clock_of_last_in_remark(request: RequestContext) -> bool:
    """Return whether a remark names the clock of the reminder set last: "make it 8, nobody is home at 7"."""
    due = find_due(find_last_reminder(request), request.now)
    remark = " ".join([find_remark(request), *list_untagged_times(request)])
    clocks = [best.start for best in request.list_readings(remark) if best.has_clock]
    return due is not None and any((at.hour - due.hour) % 12 == 0 and at.minute == due.minute for at in clocks)


def find_remark(request: RequestContext) -> str:
    """Return the text around the only request of a message: "the cake, they are closed on Friday, make it Thursday"."""
    before, found, after = request.turn.message.text.partition(request.reading.text)
    return f"{before} {after}" if found and not request.is_part else ""
