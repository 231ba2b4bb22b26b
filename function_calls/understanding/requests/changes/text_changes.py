"""Change the text of a reminder, add words to it, or delete some of it."""

import re

from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.reminder_words import find_stems, replace_amount
from function_calls.understanding.reading.slots.references import normalize_reference
from function_calls.understanding.reading.slots.small_words import are_function_words, match_any, tidy
from function_calls.understanding.reading.times import is_clock_alone, list_halves
from function_calls.understanding.reading.tokens import is_time, split_clauses
from function_calls.understanding.requests.changes.people_changes import add_person, replace_people
from function_calls.understanding.requests.changes.updates import update
from function_calls.understanding.requests.chat_reminders import IT
from function_calls.understanding.requests.known_reminders import find_due, find_rule
from function_calls.understanding.requests.new_reminders.copies import set_variant_of_last
from function_calls.understanding.requests.new_reminders.set_calls import repeat_last
from function_calls.understanding.requests.people import list_own_reminders
from function_calls.understanding.requests.references.named_reminders import find_named_reminder, find_references
from function_calls.understanding.requests.references.remarks import list_untagged_times
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.model import Reminder

_QUOTED = re.compile(r"[\"“「『]([^\"“”「」『』]{2,})[\"”」』]\s*[.!。！]*$")


def reword(request: RequestContext) -> Interpretation | None:
    """Replace the text of a reminder, one word of the one set last, or its people: "make it remind Ben"."""
    if request.has_part(request.words.triggers) and request.is_member(request.content):
        return replace_people(request.retag("CONTENT", "PERSON"))
    quoted = _QUOTED.search(request.reading.text)
    written = quoted[1] if quoted else request.content
    content, denied = _split_denial(request.strip_leading_word(written, request.words.telling), request)
    changed = (
        _replace_amount(content, request)
        or _replace_in_last(content, denied, request)
        or _replace_word(denied, content, request)
    )
    if changed is not None or not content or _is_order_for_several(request):
        return changed
    similar = _find_reworded(content, request)
    reminder = similar or find_named_reminder(request)
    text = content if reminder is None else _fit_into_text(content, reminder.content)
    if reminder is not None and text == reminder.content:
        return None  # 改一下吃药 does not say to what
    if similar is not None:
        return request.answers.call_tool("reminder_update", {"content": text, "reminder_id": similar.id})
    return update(request, {"content": text})


def _replace_in_last(content: str, denied: str, request: RequestContext) -> Interpretation | None:
    """Replace words of the text set last that a request retracts or denies; None where it does neither."""
    last = request.last_content
    retracted = (piece.strip() for piece in _find_retracted_words(request))
    wrong = next((piece for piece in retracted if piece and piece in last), "") or (denied if denied in last else "")
    if not content or not wrong:
        return None
    text = content if _is_whole_text(content, wrong, last, request) else last.replace(wrong, content)
    named = request.resolve(wrong)
    reminder_id = named[0].id if len(named) == 1 else IT
    return request.answers.call_tool("reminder_update", {"content": text, "reminder_id": reminder_id})


def _is_whole_text(content: str, wrong: str, text: str, request: RequestContext) -> bool:
    """Return whether `content` has its own verb, or repeats words of `text`, and so replaces more than `wrong`.

    "Pay the bills" or "transfer the rent" replaces all of "pay the rent", "the bills" only the rent.
    """
    begin = text.partition(wrong)[0].strip()
    first = content.partition(" ")[0].casefold()
    is_verb = bool(request.words.joint) and first in request.words.common_verbs
    return is_verb or content.find(wrong) > 0 or (bool(begin) and content.startswith(begin))


def _is_order_for_several(request: RequestContext) -> bool:
    """Return whether a message that would be a new text as a whole names several reminders: "swap the one and …"."""
    reading, words = request.reading, request.words
    links = [token for token in reading.tokens if token.form in words.and_words]
    texts = [text for at in links for text in (reading.text[: at.start], reading.text[at.end :])]
    named = {request.find_closest(text) for text in texts} - {None}
    return set(reading.tags) == {"CONTENT"} and len(named) > 1


def _replace_amount(amount: str, request: RequestContext) -> Interpretation | None:
    """Replace the only amount of the same unit in the text of the reminder that is meant: "make it 3 boxes"."""
    reminder = find_named_reminder(request) if any(map(str.isdecimal, amount)) else None
    content = "" if reminder is None else replace_amount(reminder.content, amount)
    ahead = amount[: next((at for at, sign in enumerate(amount) if sign.isdecimal()), 0)].strip()
    repeats_text = reminder is not None and any(map(str.isalpha, ahead)) and ahead in reminder.content
    if reminder is None or not content or repeats_text:
        return None
    return request.answers.call_tool("reminder_update", {"content": content, "reminder_id": reminder.id})


def _find_reworded(content: str, request: RequestContext) -> Reminder | None:
    """Return the only reminder of the person that shares words with a new text, where the request names none."""
    if find_references(request) or request.turn.message.reply_to is not None:
        return None
    similar = request.find_closest(content)
    return similar if similar in list_own_reminders(request) else None


def _fit_into_text(content: str, text: str) -> str:
    """Return `text` with `content` instead of a part of it: "lab in room 5" for "room 5" and "lab in room 4".

    The part has the same first word and a figure behind it, or the same first and last words, or its words are the
    first ones of `content`: "review in hall 2" for "hall 2" and "review in hall".
    """
    old, new = text.split(), content.split()
    first = next((at for at, word in enumerate(old) if at and word.casefold() == new[0].casefold()), 0)
    if not first or len(new) == 1:
        return content
    if content.casefold().startswith(" ".join([*old[first:], ""]).casefold()):
        return " ".join([*old[:first], *new])
    last = next((at for at in range(len(old) - 1, first, -1) if old[at].casefold() == new[-1].casefold()), 0)
    second, *others = new[1:]
    numbers = (second, "".join(old[first + 1 : first + 2]))
    if not last and not others and all(any(map(str.isdecimal, number)) for number in numbers):
        last = first + 1
    return " ".join([*old[:first], *new, *old[last + 1 :]]) if last else content


def _replace_word(old: str, new: str, request: RequestContext) -> Interpretation | None:
    """Replace `old` by `new` in the text of the reminder that has it; the whole text where they share a word."""
    reminder, common = request.find_closest(old), request.common_words
    if reminder is None:
        return None
    bare = request.strip_leading_word(old, request.words.articles)
    is_part = not find_stems(old, common) & find_stems(new, common)
    text = reminder.content.replace(bare, tidy(new, request.words.articles)) if is_part else new
    return request.answers.call_tool("reminder_update", {"content": text, "reminder_id": reminder.id})


def _split_denial(content: str, request: RequestContext) -> tuple[str, str]:
    """Split a new text into what holds and what it denies: "tim not jim"."""
    for denial in request.words.negations if request.words.joint else ():
        new, found, denied = content.partition(f" {denial.strip()} ")
        if found and new and denied:
            return new.rstrip(","), denied
    for word in request.words.exchange_words:
        denied, found, new = content.partition(f" {word} ")
        if found and new:
            return new, denied
    return content, ""


def _find_retracted_words(request: RequestContext) -> list[str]:
    """Return the words that are retracted, or named right in front of a word that replaces: 牛奶改成豆浆."""
    text, words = request.reading.text, request.words
    named = [
        text[start:end]
        for start, end in request.reading.spans("REF")
        if words.joint
        or text[end:].lstrip().startswith(words.replacing)
        or text[:start].rstrip().endswith(words.negations)
    ]
    return [*request.reading.pieces("OLD"), *named]


def append(request: RequestContext) -> Interpretation | None:
    """Append words to the text of a reminder; a member of the chat is reminded as well, unless the text has others.

    Somebody with another task gets a reminder like the last one: "and Ben to sweep".
    """
    with_person = _tag_person_with_task(request)
    if with_person != request:
        return set_variant_of_last(with_person)
    request = _untag_place(_tag_number_of_content(request))
    content, fold, reminder = request.content, request.words.fold, find_named_reminder(request)
    text = "" if reminder is None else fold(reminder.content)
    has_names = reminder is not None and any(fold(name) in text for name in find_members(request.turn))
    if request.is_member(content) and not has_names:
        return add_person(request.retag("CONTENT", "PERSON"))
    time = None if find_rule(reminder) is None or not content else request.parse_time([content])
    if time is not None and time.best.rrule is None:
        return repeat_last(request.retag("CONTENT", "WHEN"))  # 吃药再加个中午的
    return update(request, {"added": _find_preposition(content, request) + content}) if content else None


def _tag_person_with_task(request: RequestContext) -> RequestContext:
    """Return the request with a person in front tagged who has the content as a task: "and Ben to sweep"."""
    tags, tokens, words = list(request.reading.tags), request.reading.tokens, request.words
    at = max(tags.index("CONTENT") - 2, 0) if "CONTENT" in tags else 0
    is_first = are_function_words([token.form for token in tokens[:at]], words, words.beside)
    is_task = tags[at : at + 2] == [NO_TAG, NO_TAG] and tokens[at + 1].form in words.task_links
    name = request.reading.text_of(tokens[at])
    if is_first and is_task and (request.is_member(name) or (at and name[:1].isupper())):
        tags[at] = "PERSON"
    return request.with_tags(tags)


def _find_preposition(content: str, request: RequestContext) -> str:
    """Return the preposition that the words to append begin with, and a space: "with | milk"; "" for none."""
    words = request.words
    ahead = request.reading.words("CONTENT").partition(content)[0].split()
    is_part = bool(ahead) and words.fold(ahead[-1]) in {*words.prepositions} - {*words.articles} - words.until_words
    return f"{ahead[-1]} " if is_part else ""


def _untag_place(request: RequestContext) -> RequestContext:
    """Return the request without the tags of a preposition and a pronoun at the end of its content: "milk | to it"."""
    tags, forms, words = list(request.reading.tags), request.reading.forms, request.words
    last = max((at for at, tag in enumerate(tags) if tag == "CONTENT"), default=0)
    is_place = (
        last > 1 and forms[last - 1] in words.prepositions and forms[last] in words.itself & {*words.demonstratives}
    )
    if is_place and tags[last - 2] == "CONTENT":
        tags[last - 1 : last + 1] = [NO_TAG, NO_TAG]
    return request.with_tags(tags)


def _tag_number_of_content(request: RequestContext) -> RequestContext:
    """Return the request with an untagged number right behind its content tagged as part of it: "room 204"."""
    tags = list(request.reading.tags)
    for at, token in enumerate(request.reading.tokens[1:], start=1):
        is_number = not is_time(token) and request.reading.text_of(token)[0].isdecimal()
        if is_number and (tags[at - 1], tags[at]) == ("CONTENT", NO_TAG):
            tags[at] = "CONTENT"
    return request.with_tags(tags)


def correct_clock_in_text(request: RequestContext) -> Interpretation | None:
    """Replace the clock in the text of reminders that a request denies, if none comes then: "it's 5.15, not 5.30"."""
    times = request.reading.pieces("WHEN") or list_untagged_times(request)
    old, *new = map(request.strip_time_words, (request.reading.words("OLD"), *times))
    time = request.parse_time([old]) if old and len(new) == 1 else None
    if time is None or not is_clock_alone(time.best) or request.parse_time(new) is None:
        return None
    last = find_named_reminder(request)
    named = [each for name in find_references(request) for each in request.resolve(name)] or ([last] if last else [])
    clock = re.compile(rf"(?<![\d:.]){re.escape(old)}(?!\d|[:.]\d)")
    clocks = [half.start.time() for half in list_halves(time.best)]
    dues = [find_due(each, request.now) for each in named]
    has_clocks = all(clock.search(each.content) for each in named)
    if not named or not has_clocks or any(due is not None and due.time() in clocks for due in dues):
        return None
    texts = ((each, clock.sub(new[0], each.content, count=1)) for each in named)
    changes = ({"content": text, "reminder_id": each.id} for each, text in texts)
    return merge_or_none([request.answers.call_tool("reminder_update", change) for change in changes])


def delete_part(request: RequestContext) -> Interpretation | None:
    """Delete one element of a list in the text of a reminder: "remove the eggs" of "buy milk and eggs"."""
    words, reading = request.words, request.reading
    pieces = reading.pieces("REF")
    # A person may be named in another clause: "take the drinks off, Tom brings those".
    tags = [{reading.tags[at] for at in clause} for clause in split_clauses(reading.tokens)]
    is_part = {"REF", NO_TAG} in tags and all(each <= {"REF", NO_TAG} or each <= {"PERSON", NO_TAG} for each in tags)
    is_whole = request.has_word(words.reference_marks) and not request.has_word(words.removing_from)
    if not is_part or len(pieces) != 1 or is_whole:
        return None
    reminder = find_named_reminder(request) if request.has_word(words.removing) else None
    name = normalize_reference(pieces[0], words)
    content = "" if reminder is None else _cut_element(reminder.content, name, words)
    if reminder is None or content in {"", reminder.content}:
        return None
    return request.answers.call_tool("reminder_update", {"content": content, "reminder_id": reminder.id})


def _cut_element(text: str, name: str, words: Lexicon) -> str:
    """Return `text` without the element `name` of a list and one of the words or marks that join it to the others."""
    articles, joints = match_any(words.articles), match_any(words.and_words)
    space = r"\s+" if words.joint else ""
    joint = rf"(?:\s*[,，、]\s*(?:(?:{joints}){space})?|{space}(?:{joints}){space})"
    element = (rf"(?:(?:{articles})\s+)?" if articles else "") + re.escape(name)
    last = re.sub(rf"{joint}{element}(?=$|{joint})", "", text, count=1, flags=re.IGNORECASE)
    edge = r"\b" if words.joint else ""
    return last if last != text else re.sub(rf"{edge}{element}{joint}", "", text, count=1, flags=re.IGNORECASE)
