"""Change who is reminded."""

import re
from collections.abc import Collection

from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.tokens import split_clauses
from function_calls.understanding.reminder_times import format_time
from function_calls.understanding.requests.changes.states import change_state, leave
from function_calls.understanding.requests.changes.updates import find_day_in_name, update
from function_calls.understanding.requests.known_reminders import find_rule
from function_calls.understanding.requests.new_reminders.set_calls import repeat_last
from function_calls.understanding.requests.people import (
    find_people,
    list_other_people,
    list_target_names,
    names_oneself,
)
from function_calls.understanding.requests.references.named_reminders import find_named_reminder
from function_calls.understanding.requests.references.remarks import join_forms
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext

_MARKS = r" ,，。.;；!！?？、"


def add_person(request: RequestContext) -> Interpretation | None:
    """Remind somebody else as well, or at another time: "and Carla on Friday"."""
    if request.reading.has("WHEN") and request.reading.has("PERSON") and not request.reading.has("REF"):
        return repeat_last(request)
    return _change_person(request, "+", "join")


def remove_person(request: RequestContext) -> Interpretation | None:
    """Stop reminding a named person, or for a pronoun the only other person of the reminder."""
    person = request.words.fold(request.reading.words("PERSON"))
    links = request.words.and_words - {""}
    untagged = [token.form for token in request.reading.untagged]
    if person and names_oneself(request) and not links.isdisjoint(untagged):
        return leave(request)  # "take me off it and put Ann on"
    has_pronoun = not request.words.pronouns.isdisjoint([person] if person else untagged)
    reminder = find_named_reminder(request) if has_pronoun else None
    targets = () if reminder is None else reminder.targets
    others = list_other_people(reminder, request)
    if len(others) == 1 < len(targets):
        return update(request, {"person": f"-{others[0]}"})
    return _change_person(request, "-", "leave")


def replace_people(request: RequestContext) -> Interpretation | None:
    """Remind other people instead, or as well: "share it with Ann", "Ann too"."""
    if not request.reading.has("PERSON"):
        return None
    instead = _replace_oneself(request)
    if instead is not None:
        return instead
    if request.has_word((*request.words.too, *request.words.sharing)) and not request.has_word(request.words.replacing):
        return add_person(request)
    pieces = [piece.strip() for piece in request.reading.pieces("PERSON")]
    people = _replace_person(request, request.words.joint.join(pieces)) or find_people(request)
    if not _may_be_people(people, request):
        return None
    people = people or request.turn.message.sender.name
    return _hand_over_day(people, request) or update(request, {"person": people})


def _hand_over_day(people: str, request: RequestContext) -> Interpretation | None:
    """Remind `people` instead of one occurrence of a repeating reminder: 明天遛狗让小红去; None without its day."""
    reminder, this_time = find_named_reminder(request), request.words.this_time
    rule = find_rule(reminder)
    day = find_day_in_name(request) or request.reading.words("OLD") or request.reading.words("WHEN")
    is_next = request.has_word(this_time) and (not day or day.casefold() in this_time)  # "for everyone this week"
    days = [request.now.date()] if is_next else request.list_days(day)
    if reminder is None or rule is None or not days:
        return None
    coming = request.list_coming(reminder, days[0])
    is_series = len(rule.days) == 1 and request.find_weekdays(day)  # "the Friday one"
    if not coming or (not is_next and (is_series or [due.date() for due in coming] != days)):
        return None
    skipped = {"reminder_id": reminder.id, "skip": f"{coming[0]:%Y-%m-%d}"}
    single = {"content": reminder.content, "type": "once", "time": format_time(coming[0]), "person": people}
    calls = (("reminder_update", skipped), ("reminder_set", single))
    return merge_or_none([request.answers.call_tool(name, arguments) for name, arguments in calls])


def _replace_oneself(request: RequestContext) -> Interpretation | None:
    """Remind other people instead of the sender, whom the words refuse: 例会提醒阿明，不用提醒我."""
    refused = _find_refusal_of_oneself(request)
    tags = enumerate(request.reading.tags)
    request = request.with_tags(NO_TAG if tag == "PERSON" and at in refused else tag for at, tag in tags)
    people = find_people(request) if refused and request.reading.has("PERSON") else None
    if people is None or not _may_be_people(people, request):
        return None
    others = list_other_people(find_named_reminder(request), request)
    return update(request, {"person": f" {request.words.and_joint} ".join([*others, people])})


def _find_refusal_of_oneself(request: RequestContext) -> set[int]:
    """Return the places of "me" behind a refusal; in Chinese of the whole clauses, in which the tags may be wrong."""
    tokens, words = request.reading.tokens, request.words
    refused: set[int] = set()
    for clause in split_clauses(tokens):
        own = next((at for at in clause if tokens[at].form in words.oneself), clause[0])
        ahead = join_forms(range(clause[0], own), request)
        if words.has_any((*words.refusals, *words.without, *words.removing), ahead):
            refused.update([own] if words.joint else clause)
    return refused


def _replace_person(request: RequestContext, names: str) -> str:
    """Return the people of a reminder with one replaced: Bob for Ann in "swap Ann for Bob", 把阿芳换成大勇.

    `names` are those that are tagged as people; Chinese ones may stand untagged around the word that replaces.
    """
    words, own = request.words, request.turn.message.sender.name
    reminder = find_named_reminder(request) if request.has_word(words.replacing) else None
    people = list_target_names(reminder)
    ahead, names = (names, names) if words.joint else _split_around_replacing(request)
    replaced = next((name for name in people if words.fold(name) in words.fold(ahead)), "")
    says_me = names_oneself(request) if words.joint else ahead.endswith(tuple(words.oneself))
    if not replaced and names and own in people and says_me:  # "swap me for Ann"
        replaced = own
    new = re.sub(re.escape(replaced), " ", names, flags=re.IGNORECASE) if replaced else ""
    for word in sorted(words.replacing, key=len, reverse=True):
        new = new.replace(word, " ")
    new = " ".join(new.split())
    joint = f" {words.and_joint} " if words.joint else words.and_joint
    return joint.join([*(name for name in people if name not in {replaced, new}), new]) if new else ""


def _split_around_replacing(request: RequestContext) -> tuple[str, str]:
    """Return the words in front of a word that replaces and those behind it, up to marks: 小王，换成大勇."""
    text = request.reading.text
    word = next((each for each in sorted(request.words.replacing, key=len, reverse=True) if each in text), "")
    ahead, _, behind = text.partition(word) if word else ("", "", "")
    name_ahead = re.split(f"[{_MARKS}]", ahead.rstrip(_MARKS))[-1]
    return name_ahead, re.split(f"[{_MARKS}]", behind.lstrip(_MARKS))[0]


def _change_person(request: RequestContext, sign: str, own_action: str) -> Interpretation | None:
    """Add people ("+") or remove them ("-"); for the sender it is the change of state `own_action`."""
    if not request.reading.has("PERSON"):
        return None
    instead = None if request.words.joint else _replace_oneself(request)
    if instead is not None:
        return instead
    people = find_people(request)
    is_pronoun = people is not None and request.words.fold(people) in request.words.pronouns
    if is_pronoun or not _may_be_people(people, request):
        return None
    if people is None:
        return change_state(request, own_action)
    is_for_all = people.startswith(f"{EVERYONE_ARGUMENT} ")  # "everyone except Ann"
    return update(request, {"person": people if is_for_all else f"{sign}{people}"})


def _may_be_people(names: str | None, request: RequestContext) -> bool:
    """Return whether `names` may be people: a message for the bot says so, or they are oneself, everyone or known.

    People use many words among themselves that resemble names: "Rex is awake and wagging". New names are taken from
    what is no more than names, or speaks of reminding or of somebody who is reminded already.
    """
    words = request.words
    if names is not None and words.fold(names).endswith(tuple(words.possessives)) and not words.joint:
        return False  # 要M码的
    is_order = request.is_addressed or request.has_part(words.triggers)
    beside = (*words.beside, *words.too)
    is_only_names = are_function_words([token.form for token in request.reading.untagged], words, beside)
    if is_order or is_only_names or names is None or names.startswith((EVERYONE_ARGUMENT, "@")):
        return True
    reminded = {person.name for reminder in request.reminders for person in reminder.targets}
    return _has_name(names, find_members(request.turn), words) or _has_name(request.folded_text, reminded, words)


def _has_name(text: str, people: Collection[str], words: Lexicon) -> bool:
    """Return whether `text` has the name or the first name of one of `people`."""
    names = {words.fold(name) for name in people if name.strip()}
    bare = " ".join(re.sub(f"[{_MARKS}@]", " ", words.fold(text)).split())
    return words.has_any(names | {name.split()[0] for name in names}, bare)
