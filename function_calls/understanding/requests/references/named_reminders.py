"""Find the reminders that a request names, among those that its chat has."""

from function_calls.understanding.reading.reminder_words import find_stems
from function_calls.understanding.reading.slots.references import find_reference_pieces
from function_calls.understanding.reading.slots.time_words import mark_day
from function_calls.understanding.reading.tokens import split_clauses
from function_calls.understanding.requests.chat_reminders import (
    IT,
    SEVERAL,
    ChatReminders,
    filter_by_characters,
)
from function_calls.understanding.requests.people import list_own_reminders, reminds, reminds_only
from function_calls.understanding.requests.references.reference_words import (
    FINAL_INTENTS,
    find_day_words,
    find_references_in_words,
)
from function_calls.understanding.requests.references.remarks import find_closest_to_remark, join_forms, join_remarks
from function_calls.understanding.requests.references.unnamed_reminders import (
    JUST_NOW,
    find_last_reminder,
    leave_out_moved_occurrences,
    list_last_reminders,
)
from function_calls.understanding.requests.request_context import RequestContext, cache_per_request
from services.reminders.lookup.finder import is_for_everyone
from services.reminders.lookup.references import is_in
from services.reminders.model import Reminder

_INTENTS_FOR_SEVERAL = frozenset({"list", "when_is", "who_set", "join", "person_add"})
"""Intents that are not for one of several reminders of a name."""
_INTENTS_FOR_NO_GROUP = frozenset({"list", "when_is", "who_set", "leave"})
"""Intents for which a name in the plural does not stand for several reminders."""
_DAY_INTENTS = frozenset({"delete", "skip"})
"""Intents whose day is that of the reminder."""
_CHANGE_TAGS = frozenset({"WHEN", "LATER", "EARLIER", "PERSON", "UNTIL"})
"""Tags of words that say what is to change."""


def find_references(request: RequestContext, *, may_be_several: bool = False) -> list[str]:
    """Return the references in a request; empty where it names no reminder.

    `may_be_several` says that words for all of them may stand beside the name: "everything for tomorrow".
    """
    references, reminders = find_references_in_words(request, may_be_several=may_be_several), request.chat_reminders
    references = [name for name in references if name != "both"] or references  # "both, the dentist and the rent"
    if reminders is None:
        return references
    references = [_spell_as_in_reminder(name, request, reminders) for name in references]
    former = [] if request.reading.has("REF") else _find_at_former_clock(request)
    former = former or _find_group(references, request, reminders)
    return former or _find_own_references(references, request) or _resolve_references(references, request, reminders)


def _spell_as_in_reminder(name: str, request: RequestContext, reminders: ChatReminders) -> str:
    """Return a name in the characters in which the text of a reminder has it: 吃药 for 吃藥."""
    if not request.words.folding or reminders.can_resolve(name):
        return name
    folded = request.words.fold(name)
    places = ((each.content, request.words.fold(each.content).find(folded)) for each in reminders.coming)
    return next((content[at : at + len(name)] for content, at in places if at >= 0), name)


@cache_per_request
def find_named_reminder(request: RequestContext) -> Reminder | None:
    """Return the only reminder that a request names, or the one set last; None for none or several."""
    if request.chat_reminders is None:
        return None
    references = find_references(request)
    if not references:
        return find_last_reminder(request)
    reminders = [reminder for name in references for reminder in request.resolve(name)]
    return reminders[0] if len(reminders) == 1 else None


def _resolve_references(references: list[str], request: RequestContext, reminders: ChatReminders) -> list[str]:
    """Return the references that name an existing reminder; those that name none where a change must not guess."""
    if not references:
        return []
    if _retracts_time(request):
        return _resolve_retracted_time(references, request, reminders)
    if any(name.startswith("all ") for name in references):
        return references
    dated = _find_by_day(references, request)
    if dated is not None:
        return [dated.id]
    resolvable = [name for name in references if reminders.can_resolve(name)]
    if not resolvable:
        return _resolve_by_shared_words(references, request, reminders)
    if len(references) == 1:
        only = _choose_of_same_name(references[0], request, reminders) or _choose_own_reminder(references[0], request)
        if only is not None:
            return [only.id]
    named = [name if name in resolvable else _find_closest_id(name, request, reminders) or name for name in references]
    return named if request.reading.intent in FINAL_INTENTS else [name for name in named if reminders.can_resolve(name)]


def _find_closest_id(name: str, request: RequestContext, reminders: ChatReminders) -> str:
    """Return the id of the only reminder whose text shares most words with a name; "" for none or several."""
    closest = _list_closest(name, request, reminders)
    return closest[0].id if len(closest) == 1 else ""


def _resolve_by_shared_words(references: list[str], request: RequestContext, reminders: ChatReminders) -> list[str]:
    """Return the reminder with most words of references that name none by themselves, or of a remark beside them.

    Return the references as they are where several share as many, or where another reminder must not be changed.
    """
    closest = _list_closest(request.words.joint.join(references), request, reminders)
    if len(closest) == 1:
        return [closest[0].id]
    if len(closest) > 1 and len(references) == 1:
        return references
    of_remark = None if request.words.joint else find_closest_to_remark(join_remarks(request), request)
    if of_remark in list_own_reminders(request):  # 牛奶到货了，不用提醒我买了
        shares_character = not {*"".join(references)}.isdisjoint(of_remark.content)
        if shares_character or not request.reading.has("REF"):
            return [of_remark.id]
    is_final = request.reading.intent in FINAL_INTENTS
    return [] if request.may_point and not is_final and _has_change_without_reference(request) else references


def _retracts_time(request: RequestContext) -> bool:
    """Return whether a request corrects the time that was set last, without a name: "7, not 6"."""
    has = request.reading.has
    is_correction = has("OLD") and has("WHEN") and not has("REF")
    return is_correction and request.may_point and request.last_set is not None


def _resolve_retracted_time(references: list[str], request: RequestContext, reminders: ChatReminders) -> list[str]:
    """Return the ids of the reminders at a time that a request retracts; none where the one set last comes then."""
    at_time = [reminder for name in references for reminder in request.resolve(name)]
    is_last = any(each.content == request.last_content for each in at_time)
    is_listed = references[0].isdecimal() and request.now - reminders.shown.at <= JUST_NOW
    return [] if is_last and not is_listed else list(dict.fromkeys(each.id for each in at_time))


def _list_closest(name: str, request: RequestContext, reminders: ChatReminders) -> tuple[Reminder, ...]:
    """Return the reminders whose text shares most words with a name, or has its act: "riego" for "regar".

    Several are narrowed to those at the time in the name, to those whose whole text ends it, to the only one for nobody
    but the sender, and to those whose first word it has: "ringing Dad" means "ring Dad". In Chinese, to those with most
    of its characters, which alone are enough where none would be lost.
    """
    closest = reminders.find_closest(name, request.common_words) or reminders.find_act(name, request.common_words)
    if not closest and not request.words.joint and request.reading.intent not in FINAL_INTENTS:
        closest = reminders.find_alike(name, request.common_words)
    closest = reminders.filter_by_time(name, closest) if len(closest) > 1 else closest
    closest = tuple(each for each in closest if name.casefold().endswith(each.content.casefold())) or closest
    own = tuple(each for each in closest if reminds_only(each, request.turn.message.sender))
    if len(own) == 1 or len(closest) < 2:
        return own or closest
    if not request.words.joint:
        return filter_by_characters({*name} - request.common_words, closest)
    stems = find_stems(name, ())
    return tuple(each for each in closest if find_stems(each.content.partition(" ")[0], ()) & stems) or closest


def _find_own_references(references: list[str], request: RequestContext) -> list[str]:
    """Return the only reminder that "mine", "my Friday one" or "everyone's" means; else an empty list."""
    words, sender = request.words, request.turn.message.sender
    name = words.fold(references[0]).removesuffix("'s") if len(references) == 1 else ""
    if name in words.everyone and name not in SEVERAL:
        common = [each for each in request.reminders if is_for_everyone(each)]
        return [each.id for each in common] if len(common) == 1 else []
    pieces = [words.fold(piece).strip() for piece in find_reference_pieces(request.reading, words)]
    if len(pieces) != 1 or len(references) > 1 or not words.has_any(words.own, pieces[0]):
        return []
    number = int(references[0]) if references and references[0].isdecimal() else None
    if number is not None and request.chat_reminders is not None and not request.chat_reminders.shown.ids:
        return [each.id for each in list_own_reminders(request)][number - 1 : number]
    is_pronoun = pieces[0] in words.own_one
    candidates = request.reminders if is_pronoun else [each for name in references for each in request.resolve(name)]
    own = [reminder for reminder in candidates if reminds_only(reminder, sender)]
    own = [reminder for reminder in own if reminder.creator.id == sender.id] or own
    return [own[0].id] if len(own) == 1 and (is_pronoun or len(candidates) > 1) else []


def _find_group(references: list[str], request: RequestContext, reminders: ChatReminders) -> list[str]:
    """Return the ids of the sender's reminders that a name with a number, or in the plural, stands for together.

    "Both viva reminders", "all my viva ones", "the other two"; empty where there are not as many.
    """
    words, intent = request.words, request.reading.intent
    name = words.fold(references[0]) if len(references) == 1 and intent not in _INTENTS_FOR_NO_GROUP else ""
    every = "" if intent == "delete" else "all"  # which deletes "all viva" itself
    parts = [part for part in name.split() if part not in {every, *words.articles}]
    count = next((words.counts[part] for part in parts if part in words.counts), None)
    bare = words.joint.join(part for part in parts if part not in {*words.counts, "of"})
    is_plural = bool(bare) and request.has_phrase(f"{bare} {mark}" for mark in words.plural)
    if not words.joint or not bare or not (count or is_plural or name.startswith(f"{every} ")):
        return []
    own = list_own_reminders(request)
    if bare in words.remaining:
        group = _list_remaining(count or 0, own, request)
    else:
        closest = reminders.find_closest(bare, request.common_words)
        group = [each for each in own if each in closest]
    return [each.id for each in group] if len(group) == (count or max(len(group), 2)) else []


def _list_remaining(count: int, own: list[Reminder], request: RequestContext) -> list[Reminder]:
    """Return those of `own` that the last call was not for; of more than `count`, those with one text."""
    name = str(request.last_call.arguments.get("reminder_id", IT))
    was_deleted = request.last_call.name == "reminder_delete"
    last = [] if was_deleted else list_last_reminders(request) if name == IT else request.resolve(name)
    others = [each for each in own if each not in last]
    alike = [each for each in others if [one.content for one in others].count(each.content) == count]
    return others if len(others) == count else alike


def _find_by_day(references: list[str], request: RequestContext) -> Reminder | None:
    """Return the sender's only single reminder on a day of the month too high for a number of the list: 28号那个."""
    is_day = len(references) == 1 and references[0].isdecimal() and int(references[0]) > len(request.reminders)
    words = request.reading.words("OLD") or request.reading.words("REF")
    day = mark_day(words, request.words) if is_day else ""
    single = [each for each in list_own_reminders(request) if each.schedule.rule is None]
    on_day = request.filter_by_time(day, single) if day and request.read_times(day) else ()
    return on_day[0] if len(on_day) == 1 else None


def _find_at_former_clock(request: RequestContext) -> list[str]:
    """Return the only reminder of the sender at a clock that no longer holds: "6 is too early, make it 7"."""
    time = request.parse_time(request.reading.pieces("OLD"))
    if time is None or not time.best.has_clock or time.best.rrule is not None:
        return []
    at_clock = request.filter_by_time(time.words, list_own_reminders(request))
    return [each.id for each in at_clock] if len(at_clock) == 1 else []


def _choose_of_same_name(name: str, request: RequestContext, reminders: ChatReminders) -> Reminder | None:
    """Return the one of several reminders of a name on the day that is named.

    Without a day, or where it is a day to skip, it is the one that repeats and of which the others are moved
    occurrences, or the only one that reminds the sender. None where the name is that of one reminder or a person,
    and where several are left.
    """
    candidates = request.resolve(name)
    closest = reminders.find_closest(name, request.common_words)
    if len(candidates) < 2 or request.reading.intent in _INTENTS_FOR_SEVERAL:
        return None
    own = list_own_reminders(request)
    may_change = [each for each in candidates if each in own]
    if len(may_change) == 1 and set(candidates).isdisjoint(closest):
        return may_change[0]  # the name is that of a person
    day = find_day_words(request) if request.reading.has("OLD") or request.reading.intent in _DAY_INTENTS else ""
    on_day = request.filter_by_time(day, candidates) if day else candidates  # all of them where several days are named
    single = [each for each in on_day if each.schedule.rule is None] if len(on_day) < len(candidates) else []
    if day and (single or request.reading.intent != "skip"):
        return single[0] if len(single) == 1 else None
    candidates = leave_out_moved_occurrences(on_day or candidates)
    for_sender = [each for each in candidates if reminds(each, request.turn.message.sender)]
    return next((one[0] for one in (candidates, for_sender) if len(one) == 1), None)


def _choose_own_reminder(name: str, request: RequestContext) -> Reminder | None:
    """Return the sender's only reminder with a name in its text, where the name is also in that of another person."""
    resolved, own = request.resolve(name), list_own_reminders(request)
    if len(resolved) != 1 or resolved[0] in own or request.reading.intent in _INTENTS_FOR_SEVERAL:
        return None
    with_name = [each for each in own if is_in(each.content, name)]
    return with_name[0] if len(with_name) == 1 and is_in(resolved[0].content, name) else None


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
