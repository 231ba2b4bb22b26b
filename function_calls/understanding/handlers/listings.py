"""List reminders: those that a request names, or the one that a question is about."""

from function_calls.tools.calls import Interpretation
from function_calls.understanding.handlers import notes
from function_calls.understanding.local_lookup import make_local_lookup
from function_calls.understanding.reading.names import list_named
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT, extract_people
from function_calls.understanding.reading.slots.references import normalize_reference
from function_calls.understanding.requests.people import list_own_reminders
from function_calls.understanding.requests.references.named_reminders import find_references
from function_calls.understanding.requests.references.remarks import names_unknown_matter
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.lookup.references import find_kind, means_next

_MIN_RECALL_PROBABILITY = 0.1
"""The probability of a question for what is known in the chat from which it is looked up beside the reminders."""


def list_reminders(request: RequestContext) -> Interpretation | None:
    """List reminders, or notes; a question how much something is without a word for reminders is looked up."""
    words, reading = request.words, request.reading
    names_reminder = any(map(reading.has, ("WHEN", "OLD", "REF"))) or request.has_part(words.triggers)
    follows_note = request.last_call.name.startswith("memory")
    if not names_reminder and request.has_word((*words.notes, *(words.noted if follows_note else ()))):
        return request.answers.call_tool("memory_search", {})
    if not names_reminder and reading.has("PERSON") and asks_quantity_of_bot(request):
        return notes.look_up_in_chat(request, reading.text)
    owner = _find_other_owner_named(request)
    next_id = _find_next_reminder(request, owner)
    if next_id:
        return request.answers.call_tool("reminder_list", {"filter": next_id})
    return request.answers.call_tool("reminder_list", _make_list_arguments(request, owner))


def _make_list_arguments(request: RequestContext, owner: str) -> dict[str, object]:
    """Return the arguments of `reminder_list` for the time, the names and the people of a request.

    `owner` is the only other person with a reminder whom it names, "" for none.
    """
    words, reading = request.words, request.reading
    counting = {"all", "them", "both", *words.nearest}
    references = [name for name in find_references(request) if name not in counting]
    names = [name for name in references if not _has_only_name_of(name, owner, request)]
    untagged = "" if names else request.reading.only_time
    when = _strip_filter(reading.words("WHEN") or reading.words("OLD") or untagged, request)
    people = (extract_people(reading, words) or "").removesuffix("'s")
    is_everyone = people == EVERYONE_ARGUMENT or people.casefold() in words.everyone
    person = owner or ("" if is_everyone else people)
    wanted = when or ", ".join(names) or find_kind(request.folded_text)
    arguments: dict[str, object] = {"filter": f"{person}'s {wanted}" if owner and wanted else wanted or person}
    is_of_chat = is_everyone or request.has_word(words.common)
    if is_of_chat or (not person and request.has_word(words.own)):
        arguments["whose"] = "chat" if is_of_chat else "mine"
    return arguments


def _strip_filter(when: str, request: RequestContext) -> str:
    """Return a time without a preposition in front of it, if it is then still one: "at 8", "la semana que viene"."""
    bare = request.strip_time_words(when)
    return when.strip() if request.read_times(when) and not request.read_times(bare) else bare


def list_asked_reminder(request: RequestContext) -> Interpretation | None:
    """List the reminder that a question is about, with what people have written about it."""
    owner = _find_other_owner_named(request)
    names = [name for name in find_references(request) if not _has_only_name_of(name, owner, request)]
    # "Is it tomorrow?" is about the last one, "what is the reminder at 8?" is not.
    may_be_untagged = not names and request.has_phrase(request.words.triggers)
    untagged = request.reading.only_time if may_be_untagged else ""
    when = _strip_filter(request.reading.words("WHEN") or untagged, request)
    next_id = _find_next_reminder(request, owner)
    if next_id and (not names or names == ["all"] or means_next(names[0])):
        return request.answers.call_tool("reminder_list", {"filter": next_id})
    if names and all(name.casefold() in request.words.nearest for name in names):
        return request.answers.call_tool("reminder_list", {"filter": when})
    may_point = request.may_point and not (request.words.joint and names_unknown_matter(request, 1))
    unnamed = _find_pointed_reminder(request) or ("it" if may_point else "")
    wanted = ", ".join(names) or when or unnamed
    if not wanted:
        return None
    listing = request.answers.call_tool("reminder_list", {"filter": wanted})
    return _look_up_beside(listing, names, request) if names and request.is_addressed else listing


def _look_up_beside(listing: Interpretation, names: list[str], request: RequestContext) -> Interpretation:
    """Return `listing` with a lookup in the chat, or behind one that may find a place or another fact."""
    from services.summary.content import asks

    if request.chat_reminders is None:
        return listing
    query = normalize_reference(request.reading.words("REF"), request.words) or " ".join(names)
    has_reminder = any(request.chat_reminders.matches(name, request.common_words) for name in names)
    if not has_reminder or request.reading.probability("recall") >= _MIN_RECALL_PROBABILITY:
        return notes.look_up_in_chat(request, query, *listing.calls) or listing
    is_question = asks(request.reading.text) and not request.read_times(query)
    lookup = make_local_lookup(request.turn, query) if is_question else ()
    return Interpretation(calls=(*listing.calls, *lookup))


def _find_pointed_reminder(request: RequestContext) -> str:
    """Return the id of the reminder that "that" means: the one just asked about, or just set by another person.

    Return "" for a reply, and where it may be the one mentioned last.
    """
    has_pronoun = request.has_word(request.words.demonstratives)
    if request.chat_reminders is None or not has_pronoun or request.turn.message.reply_to is not None:
        return ""
    if request.discussed_reminder is not None:
        return request.discussed_reminder.id
    content = None if request.last_set_by_other is None else request.last_set_by_other.arguments.get("content")
    ids = [reminder.id for reminder in request.reminders if reminder.content == content]
    return ids[0] if len(ids) == 1 else ""


def _find_next_reminder(request: RequestContext, owner: str) -> str:
    """Return the id of the next reminder of `owner`, the sender or the chat if a message asks for it, else ""."""
    words, reading = request.words, request.reading
    says_next = any(means_next(word) and request.has_word((word,)) for word in words.nearest)
    other_tags = ("WHEN", "OLD") if owner else ("WHEN", "OLD", "PERSON")
    asks_for_several = request.has_word(words.plural) or any(token.form.isdecimal() for token in reading.tokens)
    if request.chat_reminders is None or not says_next or asks_for_several or any(map(reading.has, other_tags)):
        return ""
    reminders = list_own_reminders(request) if request.has_word(words.own) else request.reminders
    coming = (each for each in reminders if each.next_fires)
    owners = ((each.id, {person.name for person in each.recipients}) for each in coming)
    return next((id_ for id_, names in owners if not owner or owner in names), "")


def _find_other_owner_named(request: RequestContext) -> str:
    """Return the only other person with a reminder here whom a question names; "" for none or several."""
    people = {person.name for reminder in request.reminders for person in (reminder.creator, *reminder.targets)}
    named = list_named(people, request.folded_text, request.words)
    return named[0] if len(named) == 1 and named[0] != request.turn.message.sender.name else ""


def _has_only_name_of(name: str, person: str, request: RequestContext) -> bool:
    """Return whether a reference has only the name of `person` and words such as "next"."""
    fold, joint = request.words.fold, request.words.joint
    rest = fold(name).replace("'s", "").replace(fold(person), "").strip(f" 的{joint}") if person else fold(name)
    return bool(person) and (not rest or rest in request.words.nearest)


def list_with_creator(request: RequestContext) -> Interpretation | None:
    """List the reminder that is named or pointed at with who has set it."""
    names = ", ".join(find_references(request)) or _find_pointed_reminder(request) or "it"
    return request.answers.call_tool("reminder_list", {"filter": names, "who_set": True})


def asks_quantity_of_bot(request: RequestContext) -> bool:
    """Return whether a message asks the bot how much something is: "how much does the hotel cost?"."""
    from services.summary.content import asks_quantity

    return request.is_addressed and asks_quantity(request.reading.text)
