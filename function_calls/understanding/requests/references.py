"""Find the references to reminders in a request, in the form that `reminder_id` takes."""

import re
from collections.abc import Iterator
from itertools import pairwise

from function_calls.understanding.reading import slots
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.reminder_words import find_pairs, find_stems
from function_calls.understanding.reading.tokens import Token, is_time, split_clauses
from function_calls.understanding.requests.known_reminders import (
    JUST_NOW,
    find_due,
    find_last_reminder,
    leave_out_moved,
    list_last_reminders,
    list_own,
    list_set_by_call,
    list_set_by_other,
    list_untagged_times,
    reminds,
    reminds_only,
)
from function_calls.understanding.requests.reference_resolution import SEVERAL, ChatReminders
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.lookup.finder import is_for_everyone
from services.reminders.lookup.references import is_moved_from
from services.reminders.lookup.several import several_in
from services.reminders.model import Reminder

LAST, IT = "last", "it"
_MOST_FIGURES = 3
_SHORT_ID = re.compile(r"(?=[a-z]*\d)[a-z][a-z0-9]{3}")
_WORD = re.compile(r"[a-z0-9]+")
_ARTICLES = frozenset({"the", "my", "our"})
INDEFINITE = frozenset({"a", "an", "un", "una"})
_ENDS = frozenset({"please", "pls", "and", "to", "from", ",", ".", "!", "?", ";", "for", "until", "at", "on", "now"})
_FINAL = frozenset({"delete", "pause", "done", "leave"})
"""Intents for which a name must be right: another reminder would be lost."""
_ASKING = frozenset({"list", "when_is", "who_set", "join", "person_add"})
_OF_SERIES = frozenset({"skip", "keep_days", "until", "pause"})
"""Intents of repeating reminders, which an occurrence that was moved is not."""
_ON_A_DAY = frozenset({"delete", "skip"})
"""Intents whose day is that of the reminder."""
_CHANGED = frozenset({"WHEN", "LATER", "EARLIER", "PERSON", "UNTIL"})


def find_references(request: RequestContext, *, may_be_several: bool = False) -> list[str]:
    """Return the references in a request; empty where it names no reminder.

    `may_be_several` says that words for all of them may stand beside the name: "everything for tomorrow".
    """
    named, known = _find_named(request, may_be_several=may_be_several), request.known
    named = [name for name in named if name != "both"] or named  # "both, the dentist and the rent"
    if known is None:
        return named
    named = [_spell_as_known(name, request, known) for name in named]
    former = [] if request.reading.has("REF") else _find_at_former_clock(request)
    return former or _find_own_references(named, request) or _resolve_known(named, request, known)


def _spell_as_known(name: str, request: RequestContext, known: ChatReminders) -> str:
    """Return a name in the characters in which the text of a reminder has it: 吃药 for 吃藥."""
    if not request.words.folding or known.can_resolve(name):
        return name
    folded = request.words.fold(name)
    found = ((each.content, request.words.fold(each.content).find(folded)) for each in known.reminders)
    return next((content[at : at + len(name)] for content, at in found if at >= 0), name)


def find_named_reminder(request: RequestContext) -> Reminder | None:
    """Return the only reminder that a request names, or the one set last; None for none or several."""
    if request.known is None:
        return None
    references = find_references(request)
    if not references:
        return find_last_reminder(request)
    found = [reminder for name in references for reminder in request.resolve(name)]
    return found[0] if len(found) == 1 else None


def _resolve_known(named: list[str], request: RequestContext, known: ChatReminders) -> list[str]:
    """Return the references that name an existing reminder.

    A retracted time ("7, not 6") names the reminder set last, if that or none comes then.
    """
    if not named:
        return []
    has = request.reading.has
    if request.may_point and request.last_set is not None and has("OLD") and has("WHEN") and not has("REF"):
        found = [reminder for name in named for reminder in request.resolve(name)]
        is_last = any(each.content == request.last_set.arguments.get("content") for each in found)
        is_listed = named[0].isdecimal() and request.now - known.shown.at <= JUST_NOW
        return [] if is_last and not is_listed else list(dict.fromkeys(each.id for each in found))
    if any(name.startswith("all ") for name in named):
        return named
    is_final = request.reading.intent in _FINAL
    dated = _find_on_day(named, request)
    if dated is not None:
        return [dated.id]
    found_names = [name for name in named if known.can_resolve(name)]
    if found_names:
        only = _choose_of_several(named[0], request, known) if len(named) == 1 else None
        return [only.id] if only is not None else named if is_final else found_names
    close = _find_close(request.words.joint.join(named), request, known)
    if len(close) == 1:
        return [close[0].id]
    if len(close) > 1 and len(named) == 1:
        return named
    told = None if request.words.joint else find_closest_to_remark(_find_words_beside(request), request)
    if told in list_own(request) and (not request.reading.has("REF") or set("".join(named)) & set(told.content)):
        return [told.id]  # 牛奶到货了，不用提醒我买了
    return [] if request.may_point and not is_final and _is_beside(request) else named


def _find_close(name: str, request: RequestContext, known: ChatReminders) -> tuple[Reminder, ...]:
    """Return the reminders whose text shares most with a name, or has its act.

    Of several they are those at its time, whose whole text ends it, or the only one for nobody but the sender.
    """
    close = known.find_closest(name, request.common_words) or known.find_act(name, request.common_words)
    close = known.filter_by_time(name, close) if len(close) > 1 else close
    close = tuple(each for each in close if name.casefold().endswith(each.content.casefold())) or close
    own = tuple(each for each in close if reminds_only(each, request.turn.message.sender))
    return own if len(own) == 1 else close


def _find_own_references(named: list[str], request: RequestContext) -> list[str]:
    """Return the only reminder that "mine", "my Friday one" or "everyone's" means; else an empty list."""
    pieces, sender = slots.find_reference_pieces(request.reading, request.words), request.turn.message.sender
    words = [request.words.fold(piece).strip() for piece in pieces]
    name = request.words.fold(named[0]).removesuffix("'s") if len(named) == 1 else ""
    if name in request.words.everyone and name not in SEVERAL:
        common = [each for each in request.reminders if is_for_everyone(each)]
        return [each.id for each in common] if len(common) == 1 else []
    if len(words) != 1 or len(named) > 1 or not request.words.has_any(request.words.own, words[0]):
        return []
    is_pronoun = words[0] in request.words.own_one
    if named and named[0].isdecimal() and request.known is not None and not request.known.shown.ids:
        return [each.id for each in list_own(request)][int(named[0]) - 1 : int(named[0])]
    found = request.reminders if is_pronoun else request.resolve(named[0]) if named else ()
    own = tuple(reminder for reminder in found if reminds_only(reminder, sender))
    own = tuple(reminder for reminder in own if reminder.creator.id == sender.id) or own
    return [own[0].id] if len(own) == 1 and (is_pronoun or len(found) > 1) else []


def _find_on_day(named: list[str], request: RequestContext) -> Reminder | None:
    """Return the only reminder of the sender on the day that a name is, which is no number of one: 28号那个."""
    is_number = len(named) == 1 and named[0].isdecimal() and int(named[0]) > len(request.reminders)
    named_day = request.reading.words("OLD") or request.reading.words("REF")
    words = slots.mark_day(named_day, request.words) if is_number else ""
    own = [each for each in list_own(request) if each.schedule.rule is None]
    found = request.filter_by_time(words, own) if words and request.read_times(words) else ()
    return found[0] if len(found) == 1 else None


def _find_at_former_clock(request: RequestContext) -> list[str]:
    """Return the only reminder of the sender at a clock that no longer holds: "6 is too early, make it 7"."""
    time = request.parse_time(request.reading.pieces("OLD"))
    if time is None or not time.best.has_clock or time.best.rrule is not None:
        return []
    found = request.filter_by_time(time.words, list_own(request))
    last = list_last_reminders(request) if len(found) > 1 else found
    meant = [each for each in found if each in last]
    return [meant[0].id] if len(meant) == 1 else []


def _choose_of_several(name: str, request: RequestContext, known: ChatReminders) -> Reminder | None:
    """Return the one of several reminders of a name on the day that is named.

    Without a day, or where it is a day to skip, it is the one that repeats and of which the others are moved
    occurrences, or the only one that reminds the sender. None where the name is that of one reminder, a time or a
    person, and where several are left.
    """
    found = request.resolve(name)
    like = known.find_closest(name, request.common_words)
    is_open = len(found) > 1 and request.reading.intent not in _ASKING and not request.read_times(name)
    mine = [each for each in found if is_open and each in list_own(request)]
    if len(mine) == 1 and set(found).isdisjoint(like):
        return mine[0]  # of those of a person that is the one the sender may change
    if not is_open or not set(found) <= set(like):
        return None
    day = _find_days(request) if request.reading.has("OLD") or request.reading.intent in _ON_A_DAY else ""
    fits = request.filter_by_time(day, found) if day else found  # all of them where several days are named
    dated = [each for each in fits if each.schedule.rule is None] if len(fits) < len(found) else []
    if day and (dated or request.reading.intent != "skip"):
        return dated[0] if len(dated) == 1 else None
    found = leave_out_moved(found)
    own = [each for each in found if reminds(each, request.turn.message.sender)]
    return found[0] if len(found) == 1 else own[0] if len(own) == 1 else None


def _is_beside(request: RequestContext) -> bool:
    """Return whether a clause without the reference says what is to change: "at 8, I play chess at 9"."""
    tokens, tags = request.reading.tokens, request.reading.tags
    clauses = [{tags[at] for at in clause} for clause in split_clauses(tokens)]
    is_changed = any(each & _CHANGED for each in clauses if "REF" not in each)
    is_order = not request.words.joint and any(each & _CHANGED for each in clauses if "REF" in each)  # 集体课改到周三了
    if is_changed and not is_order:
        return True
    others = [clause for clause in split_clauses(tokens) if all(tags[at] != "REF" for at in clause)]
    phrases = [request.words.joint.join(tokens[at].form for at in clause) for clause in others]
    return any(request.words.has_any(request.words.change_it, phrase) for phrase in phrases)


def find_default_reference(request: RequestContext) -> str:
    """Return the reference of a request without a name: "it", or an id where the reminder is not one of the sender's.

    It is the only one that the person has just asked about, or one that another person has set for them; for changes of
    the repetition the one that repeats, not an occurrence of it that was moved.
    """
    if request.listed is not None:
        return request.listed.id
    if request.known is None:
        return IT
    own = list_set_by_call(request.last_set, request)
    has_moved = any(is_moved_from(each, series) for series in own for each in request.reminders)
    if has_moved and (request.reading.intent in _OF_SERIES or request.has_word(request.words.always)):
        return own[0].id
    named = list_untagged_times(request) if len(own) > 1 else []
    fits = {each.id for words in named for each in request.filter_by_time(words, own)}
    if len(fits) == 1:
        return fits.pop()
    other = list_set_by_other(request)
    meant = list_last_reminders(request) if len(other) == 1 else []
    return meant[0].id if len(meant) == 1 else IT


def find_name_added(reading: MessageReading, words: Lexicon) -> str:
    """Return the name in a message that only adds one to the last request: "and the milk one too"; "" for others."""
    small = {*words.beside, *words.too}
    name, removed = slots.strip_edges(words.fold(reading.text), {*small, *words.polite}, words.joint)
    return slots.normalize_reference(name, words) if small & removed else ""


def find_newest_shared(request: RequestContext) -> Reminder | None:
    """Return the reminder for the person who asks and others that the bot has mentioned last, or the newest of them."""
    own = request.turn.message.sender
    shared = [reminder for reminder in request.reminders if reminds(reminder, own)]
    day = find_only_time(request)  # "don't wake me tomorrow"
    fits = request.filter_by_time(day, shared) if day else ()
    others = [reminder for reminder in fits or shared if not reminds_only(reminder, own)]
    said = [message.text for message in reversed(request.turn.recent) if message.sender.is_bot]
    mentioned = [[each for each in others if f"[{each.id}]" in text] for text in said]
    last = next(filter(None, mentioned), [])
    if len(last) == 1:
        return last[0]
    return max(others, key=lambda other: other.created_at, default=None)


def _find_named(request: RequestContext, *, may_be_several: bool) -> list[str]:
    whole = request.reading.text if request.is_part else request.turn.message.text
    kept = request.words.find_spared(whole) if request.reading.intent in _FINAL else ""
    is_beside = not request.words.joint and request.has_word(request.words.too)  # 除了吃药，看牙也删掉
    spared = [kept] if kept else [] if is_beside else request.reading.pieces("SPARED")
    excepted = [name or piece.strip() for piece in spared for name in _split_names(piece, request)]
    if excepted:
        return [f"all except {' and '.join(excepted)}"]
    pieces = slots.find_reference_pieces(request.reading, request.words)
    definite = [each for each in pieces if each.strip().casefold() not in request.words.indefinite]
    named = [name for each in definite for name in _split_names(each, request)]
    named = list(dict.fromkeys(filter(None, named)))
    is_open = not named or named == [_find_days(request)]
    if named == ["all"] or (is_open and may_be_several and _means_all(request)):
        day = _find_days(request) if may_be_several else ""
        return [f"all {day}" if day else "all"]
    return named or (_find_by_remark(request) if request.reading.has("REF") else _find_untagged(request))


def find_only_time(request: RequestContext) -> str:
    """Return the words of the only time of a request; "" for none or several."""
    times = request.reading.times
    return request.reading.text_of(times[0]) if len(times) == 1 else ""


def find_asking_time(request: RequestContext) -> str:
    """Return the words of the only time of the clauses that ask; "" for none or several."""
    asking, _ = _find_asking_clauses(request)
    kept = [at for clause in asking for at in clause]
    return find_only_time(request.with_reading(request.reading.with_tokens(kept)))


def find_asking_text(request: RequestContext) -> str:
    """Return the words of the clauses that ask, not those of a reason: "pause it, we're all together"."""
    asking, _ = _find_asking_clauses(request)
    return request.words.joint.join(request.reading.tokens[at].form for clause in asking for at in clause)


def _find_asking_clauses(request: RequestContext) -> tuple[list[list[int]], bool]:
    """Return the clauses with tags, else all, and whether there is one clause."""
    clauses = [clause for clause in split_clauses(request.reading.tokens) if clause]
    asking = [clause for clause in clauses if any(request.reading.tags[at] != NO_TAG for at in clause)]
    return asking or clauses, len(clauses) == 1


def _find_id(request: RequestContext) -> str:
    """Return an id of a reminder, or the first characters of one: letters and figures in one word; "" for none."""
    words = [request.reading.text_of(token) for token in request.reading.tokens if token.form == "id"]
    found = [match[0] for match in map(_SHORT_ID.fullmatch, _WORD.findall(request.folded_text)) if match]
    return next(iter([*words, *found]), "")


def _find_name_behind_article(request: RequestContext) -> str:
    """Return the words behind an article up to a mark: "the dentist" of "cancel the dentist"."""
    forms = request.reading.forms
    first = next((at for at, form in enumerate(forms) if form in _ARTICLES), len(forms))
    last = first + 1
    while last < len(forms) and request.reading.tags[last] == "O" and forms[last] not in _ENDS:
        last += 1
    tokens = request.reading.tokens[first:last]
    if not tokens or not request.words.joint:
        return ""
    return slots.normalize_reference(request.reading.text_of(tokens[0], tokens[-1]), request.words)


def _split_names(piece: str, request: RequestContext) -> Iterator[str]:
    """Yield the references in a piece: several where they are joined or a range."""
    bare = slots.normalize_reference(piece, request.words)
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
        yield from (slots.normalize_reference(reference, request.words) for reference in several.references)
    else:
        yield piece.strip()


def _narrow_all(name: str, request: RequestContext) -> str:
    """Return "all" with the words that narrow it, where a name begins with a word for all of them: 所有喝水的."""
    folded = name.casefold()
    for word in sorted(request.words.every, key=len, reverse=True):
        if folded.startswith(word + request.words.joint):
            rest = request.strip_time_words(slots.normalize_reference(name[len(word) :], request.words))
            is_person = rest in find_members(request.turn)  # "all reminders of Ben"
            return rest if is_person else f"all {rest}".rstrip()
    return LAST if folded in request.words.newest else name


def _is_each_time(request: RequestContext) -> bool:
    """Return whether a word for "all" belongs to the repetition in front of it: 每个工作日都."""
    forms = request.reading.forms
    behind_time = [form for tag, form in zip(request.reading.tags, forms[1:], strict=False) if tag == "WHEN"]
    has_rule = any(form.startswith("@rule") for form in forms)
    return has_rule and any(form in request.words.plural for form in behind_time)


def _means_all(request: RequestContext) -> bool:
    is_of_days = bool(_find_days(request)) and request.has_word(request.words.plural)
    return request.has_word(request.words.every) or request.has_word(request.words.all) or is_of_days


def _find_days(request: RequestContext) -> str:
    """Return the words of the days whose reminders are meant."""
    words = request.reading.words("OLD") or request.reading.words("WHEN")
    return request.strip_time_words(words)


def _find_untagged(request: RequestContext) -> list[str]:
    """Return references among the untagged words: words for several or the newest, a name, or numbers."""
    clauses, is_whole = _find_asking_clauses(request)
    tokens, tags = request.reading.tokens, request.reading.tags
    asking = request.words.joint.join(tokens[at].form for clause in clauses for at in clause if tags[at] == NO_TAG)
    every = request.words.all - request.words.own_one
    for meaning, words in (("both", request.words.both), ("them", request.words.them), ("all", every)):
        is_people = meaning == "both" and request.has_word(request.words.both_of_us)
        is_report = request.reading.intent == "done" and (meaning == "all" or not is_whole)  # "all watered"
        if is_people or is_report or request.has_word(request.words.always) or _is_each_time(request):
            continue
        if request.words.has_any(words, asking):
            return [meaning]
    if request.has_word(request.words.newest):
        return [LAST]
    named = _find_id(request) or _find_name_behind_article(request)
    is_final, known = request.reading.intent in _FINAL, request.known
    if named and (is_final or known is None or known.matches(named, request.common_words)):  # words of a reason do not
        return [named]
    numbers = [
        token
        for token in request.reading.untagged
        if token.form.isdecimal() and token.end - token.start <= _MOST_FIGURES and not _counts_else(token, request)
    ]
    remarks = _find_remarks(request) if numbers else []
    numbers = [token for token in numbers if token not in remarks or not _is_hour(token, request)]
    is_remark = any(token in remarks for token in numbers)
    is_told = is_remark and request.has_phrase(request.words.triggers)  # "that reminder"
    found = _find_by_untagged_words(request) if is_told or not numbers else []
    return found or [str(int(request.reading.text_of(token))) for token in numbers]


def _find_remarks(request: RequestContext) -> list[Token]:
    """Return the tokens of clauses with words of their own beside the one that asks: "smith moved to 11, …"."""
    tokens, tags = request.reading.tokens, request.reading.tags
    clauses = [clause for clause in split_clauses(tokens) if clause]
    said = [[tokens[at] for at in clause] for clause in clauses if all(tags[at] == NO_TAG for at in clause)]
    beside = said if len(said) < len(clauses) else []
    naming = (*request.words.triggers, *request.words.reference_marks)
    return [
        token
        for clause in beside
        if (forms := [each.form for each in clause if not each.form.isdecimal()])
        if not request.words.has_any(naming, request.words.joint.join(forms))
        if not slots.are_function_words(forms, request.words)
        for token in clause
    ]


def _is_hour(figure: Token, request: RequestContext) -> bool:
    """Return whether a figure is an hour: "I'm travelling till 5"."""
    before = next((one.form for one, other in pairwise(request.reading.tokens) if other == figure), "")
    return before in {*request.words.before_time, *request.words.until_words} - request.words.articles


def _counts_else(figure: Token, request: RequestContext) -> bool:
    """Return whether a Chinese word behind a figure says that it counts no reminders: 15床, 12月."""
    behind = next((token.form for token in request.reading.tokens if token.start == figure.end), "")
    is_word = not request.words.joint and behind.isalpha() and behind not in request.words.courtesies
    return is_word and f"一{behind}" not in request.words.ordinals and f"第一{behind}" not in request.words.ordinals


def _find_by_remark(request: RequestContext) -> list[str]:
    """Return the id of the only reminder that shares a word with a remark beside "it": "signed already, bin that".

    The remark may stand in the same clause: "puppies leave on Monday so stop that reminder".
    """
    like = find_closest_to_remark(_find_words_beside(request), request)
    if like is None and request.words.joint:
        first = min((start for start, _ in request.reading.spans("REF")), default=0)
        ahead = [token.form for token in request.reading.untagged if token.start < first and not is_time(token)]
        like = find_closest_to_remark(request.words.joint.join(ahead), request)
    return [] if like is None else [like.id]


def _find_words_beside(request: RequestContext) -> str:
    """Return the words around the request and of its clauses that neither say nor point at what is asked."""
    tokens, tags, text = request.reading.tokens, request.reading.tags, request.reading.text
    beside = [
        text[tokens[clause[0]].start : tokens[clause[-1]].end]
        for clause in split_clauses(tokens)
        if clause and {tags[at] for at in clause} <= {NO_TAG, "REF"}
    ]
    pointing = [piece for piece in request.reading.pieces("REF") if not slots.normalize_reference(piece, request.words)]
    remarks = [remark for remark in beside if not any(piece in remark for piece in pointing)]
    return " ".join([find_remark(request), *remarks])


def names_unknown_matter(request: RequestContext, fewest: int = 2) -> bool:
    """Return whether words beside "it" name a thing that none of `fewest` reminders is about: "the slip is signed, …".

    A thing has an article in front; in Chinese it stands ahead of the person who has done it or of a word such as 不用.
    """
    own = [] if request.listed is not None and fewest > 1 else list_own(request)
    remark = request.words.fold(_find_words_beside(request))
    if len(own) < fewest or find_closest_to_remark(remark, request) is not None:
        return False
    common = request.common_words
    if request.words.joint:
        definite = request.words.articles - INDEFINITE
        return any(one in definite and other not in common for one, other in pairwise(re.findall(r"\w+", remark)))
    letters = {letter for letter in remark if letter not in common}
    clauses = [clause for clause in re.split(r"[\s,，。；！？]+", remark) if clause]
    marks = (*request.words.oneself, *request.words.exclusion_endings)
    ahead = [min((clause.find(mark) for mark in marks if mark in clause), default=0) for clause in clauses]
    return any(at > 1 for at in ahead) and not any(letters & set(each.content) for each in own)


def find_closest_to_remark(remark: str, request: RequestContext) -> Reminder | None:
    """Return the only reminder that shares a word with a remark, which may be about anything."""
    words = request.words
    others = {*words.copulas_of_events, *words.second_person, *words.skipping}
    common = request.common_words | others
    return request.find_closest(remark, others) if find_stems(remark, common) or find_pairs(remark, common) else None


def _find_by_untagged_words(request: RequestContext) -> list[str]:
    """Return the id of the only reminder whose content shares a word with the untagged words, or with a remark.

    Beside "remind me" it is none of other people: 不用叫我，孩子奶奶来.
    """
    if request.known is None or request.listed is not None:
        return _find_by_remark(request)
    like = request.find_closest(request.reading.join_untagged(request.words.joint), request.words.skipping)
    like = like or find_closest_to_remark(find_remark(request), request)
    is_of_others = says_remind_me(request) and like not in list_own(request)
    return [] if like is None or is_of_others or _tells_clock_of_last(request) else [like.id]


def _tells_clock_of_last(request: RequestContext) -> bool:
    """Return whether a remark names the clock of the reminder set last: "make it 8, nobody is home at 7"."""
    last = list_last_reminders(request)
    due = find_due(last[0], request.now) if len(last) == 1 else None
    told = " ".join([find_remark(request), *list_untagged_times(request)])
    clocks = [best.start for best in request.list_readings(told) if best.has_clock]
    return due is not None and any((at.hour - due.hour) % 12 == 0 and at.minute == due.minute for at in clocks)


def find_remark(request: RequestContext) -> str:
    """Return the text around the only request of a message: "the cake, they are closed on Friday, make it Thursday"."""
    before, found, after = request.turn.message.text.partition(request.reading.text)
    return f"{before} {after}" if found and not request.is_part else ""


def names_oneself(request: RequestContext) -> bool:
    """Return whether an untagged word means the person who asks."""
    return any(token.form in request.words.oneself for token in request.reading.untagged)


def says_remind_me(request: RequestContext) -> bool:
    """Return whether the words have "remind me", "me recuerdes" or "avísame", also behind "don't"."""
    words = request.words
    if any(slots.has_pronoun(token.form, words, words.oneself_endings) for token in request.reading.tokens):
        return True
    if any(own in words.oneself and verb in words.reminding for own, verb in pairwise(request.folded_text.split())):
        return True
    calls = {f"{call}{words.joint}{own}" for call in words.calling for own in words.oneself}
    calls |= {call for call in words.calling if call.endswith(tuple(f"{words.joint}{own}" for own in words.oneself))}
    return request.has_phrase(calls)
