"""Save, look up and forget notes, and search messages and the web."""

from collections.abc import Collection

from function_calls.tools.calls import Interpretation, ToolCall
from function_calls.understanding.local_lookup import make_local_lookup
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.slots.references import extract_references, normalize_reference
from function_calls.understanding.reading.slots.small_words import sort_longest_first
from function_calls.understanding.requests.references.named_reminders import find_references
from function_calls.understanding.requests.request_context import RequestContext

_MIN_QUERY_LETTERS = 4
"""The letters of a query to look up, half as many where words have no spaces."""


def look_up_in_chat(request: RequestContext, query: str, *otherwise: ToolCall) -> Interpretation | None:
    """Search notes and messages for `query`, as `make_local_lookup` does; None where one of them is switched off."""
    calls = make_local_lookup(request.turn, query, *otherwise)
    return Interpretation(calls=calls) if calls else None


def save_note(request: RequestContext) -> Interpretation | None:
    """Save the content of a request as a note; None where it has none."""
    text = request.content
    return request.answers.call_tool("memory_save", {"text": text}) if text else None


def changes_note(request: RequestContext) -> bool:
    """Return whether a request is for another text of a note: "change it to 8822" behind one, "change the note"."""
    words, intent, changing = request.words, request.reading.intent, request.words.help_topics["move"]
    says_change = request.folded_text.startswith(changing) if words.joint else request.has_part(changing)
    if intent in {"move", "reword"}:
        follows_note = request.last_call.name.startswith("memory_") and not request.may_point
        names_reminder = bool(request.reading.times) or any(extract_references(request.reading, words))
        is_about_note = (follows_note and not names_reminder) or (says_change and request.has_word(words.notes))
        return is_about_note and not request.reading.reminder_places
    says_remember = not words.joint and request.has_part(words.help_topics["remember"])
    return intent == "remember" and says_change and not says_remember


def forget_notes(request: RequestContext) -> Interpretation | None:
    """Forget all notes, or ask about "forget everything"; None for other deletions."""
    words = request.words
    if request.has_part(request.words.triggers):
        return None
    reference = normalize_reference(request.reading.words("REF"), words)
    matter = _strip_words(reference, {*words.notes, *words.own, *words.all, *words.articles, "of"}, words)
    is_reminder = request.find_closest(reference) is not None
    is_reminder = is_reminder and (matter != "" or not request.has_word((*words.own, *words.all)))
    if request.has_word(words.notes) and not is_reminder:
        return request.answers.call_tool("memory_forget", {"reference": matter or "all"})
    if not request.has_word(words.forgetting) or find_references(request) != ["all"]:
        return None
    return request.answers.say("offline.forget_what")


def _strip_words(text: str, stripped: Collection[str], words: Lexicon) -> str:
    """Return `text` without the words `stripped`, wherever they stand."""
    if words.joint:
        return words.joint.join(word for word in words.fold(text).split() if word not in stripped)
    for word in sort_longest_first(stripped):
        text = text.replace(word, "")
    return text.strip("的了")


def forget_note_or_reminder(request: RequestContext) -> Interpretation | None:
    """Forget the note that is named, else the one just looked for: "forget it" behind "alarm code?"."""
    has_content = request.reading.has("CONTENT")
    if not has_content and request.has_word(request.words.notes):
        return request.answers.call_tool("memory_forget", {"reference": "all"})
    matter = normalize_reference(request.content, request.words) if has_content else ""
    matter = request.strip_leading_word(matter, request.words.notes)
    reminder = request.find_closest(matter)
    if reminder is not None:  # "you can forget about the milk"
        return request.answers.call_tool("reminder_delete", {"reminder_id": reminder.id})
    matter = matter or str(request.last_call.arguments.get("query") or "")
    return request.answers.call_tool("memory_forget", {"reference": matter}) if matter else None


def look_up_notes(request: RequestContext) -> Interpretation | None:
    """Look up what is asked for in the notes and messages; without it, list the notes."""
    if not request.reading.has("CONTENT") and request.has_word(request.words.notes):
        return request.answers.call_tool("memory_search", {})
    query = request.content
    shortest = _MIN_QUERY_LETTERS if request.words.joint else _MIN_QUERY_LETTERS // 2
    return look_up_in_chat(request, query) if len(query) >= shortest else None


def search_messages(request: RequestContext) -> Interpretation | None:
    """Search the messages of the chat, or the web where that is named; those of one person are summed up.

    Before those of a person who has not written lately are summed up for a question when or how much, all messages are
    searched, and so for somebody outside of the chat: "what did the plumber say".
    """
    from services.summary.content import asks_quantity

    words, query, person = request.words, request.content, request.reading.words("SPEAKER")
    query, person = ("", query) if not person and request.is_member(query) else (query, person)
    text = request.reading.text.rstrip(" .!?")
    if query and words.strip_search_place(text) != text:
        return request.answers.call_tool("perplexity_search", {"query": words.strip_search_place(query)})
    if person:
        window = request.reading.words("WHEN")
        summed = request.answers.call_tool("summary", {"person": person, "topic": query, "window": window})
        bare = request.strip_leading_word(words.fold(person), words.articles)
        is_outside = words.has_any((f"{article} {bare}" for article in words.articles), request.folded_text)
        is_searched = not request.is_member(person) and (is_outside or asks_quantity(text))
        sought = f"{person} {query}" if is_outside and query else text
        return (look_up_in_chat(request, sought, *summed.calls) if is_searched else None) or summed
    return request.answers.call_tool("history_search", {"query": query}) if query else None


def search_web(request: RequestContext) -> Interpretation | None:
    """Search the web as a request orders, or for the answer to a question beside another request.

    The interpreter looks up a question by itself, where nothing else understands it.
    """
    words, content = request.words, request.content
    ordered = words.parse_search_request(request.reading.text)
    if ordered:
        query = words.strip_search_place(words.parse_search_request(content) or content or ordered)
        return request.answers.call_tool("perplexity_search", {"query": query})
    tokens = request.reading.tokens
    query = request.reading.text_of(tokens[0], tokens[-1]) if tokens else ""
    return request.answers.call_tool("perplexity_search", {"query": query}) if request.is_part else None
