"""Turn the reading of a request into calls, or into the one question that stands in their way."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC
from zoneinfo import ZoneInfo

from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.calls import Interpretation
from function_calls.understanding.local_lookup import looked_up_here
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.lexicon import Lexicon, common_words
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.tag_repair import is_time
from function_calls.understanding.reading.times import TimeWords
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests import changes, new_reminders, states
from function_calls.understanding.requests.arguments import schedule_arguments
from function_calls.understanding.requests.references import references_of, untagged_time
from function_calls.understanding.requests.request_context import Asked
from function_calls.understanding.requests.request_times import named_times
from services.people.zones import find_zone

_NO_TOPIC = frozenset({"none", "help", "list", "when_is", "answer_when", "answer_content", "cancel_ask", "repeat_last"})
_RELATED = {
    "add_days": "move",
    "keep_days": "move",
    "once": "move",
    "urgent": "quiet",
    "not_urgent": "quiet",
    "nag": "done",
    "catch_up_all": "pause",
    "catch_up_latest": "pause",
    "catch_up_none": "pause",
    "next_page": "list",
    "who_set": "when_is",
    "zone_move": "zone",
    "forget": "recall",
    "person_set": "person_add",
}
"""Intents that are explained with another one."""
_CLEARLY = 1.5
_LONGEST_QUESTION = 7
_LEAST_TOPIC = 0.8
_SHORTEST_QUERY = 4

Make = Callable[[Asked], Interpretation | None]
Classify = Callable[[int], tuple[tuple[str, float], ...]]


def make(asked: Asked, classify: Classify) -> Interpretation | None:
    """Return the calls of a request, a question, or None where its words are not enough.

    `classify` returns the intents of the tokens from a place on.
    """
    intent = asked.reading.intent
    if intent == "help":
        return _help(asked, classify)
    maker = _MAKERS.get(intent)
    return None if maker is None else maker(asked)


def topic_named(reading: MessageReading, words: Lexicon) -> str | None:
    """Return the function for which a question to the bot has a word."""
    text = reading.text.casefold()
    kinds = {token.form for token in reading.tokens}
    for topic, names in words.help_topics.items():
        for name in names:
            found = re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text) if words.joint else name in text
            if found:
                return topic
    return "set" if kinds & {"@rule", "@ruletime"} else None


def topic_of(reading: MessageReading, least: float = 0.0) -> str | None:
    """Return the function that a message is about, whatever it says of it; None where nothing is probable enough."""
    topics = [(intent, share) for intent, share in reading.intents if intent not in _NO_TOPIC]
    if len(topics) < 2:
        return None
    topic, share = topics[0]
    return _RELATED.get(topic, topic) if share >= max(least, topics[1][1] * _CLEARLY) else None


def _help(asked: Asked, classify: Classify) -> Interpretation | None:
    """Explain how to do the thing that the question is about: by a word for it, or what it means apart from asking."""
    named = topic_named(asked.reading, asked.words)
    if named is not None:
        return Interpretation(answer=say(asked.turn.language, f"how.{named}"), must_reply=True)
    shares: dict[str, float] = {}
    for start in range(1, min(len(asked.reading.tokens) - 2, _LONGEST_QUESTION)):
        intent, share = classify(start)[0]
        if intent not in _NO_TOPIC:
            shares[intent] = max(share, shares.get(intent, 0.0))
    topic = max(shares, key=shares.__getitem__, default=None)
    topic = None if topic is None or shares[topic] < _LEAST_TOPIC else _RELATED.get(topic, topic)
    if topic is None:
        topic = topic_of(asked.reading, _LEAST_TOPIC / 5)
    return None if topic is None else Interpretation(answer=say(asked.turn.language, f"how.{topic}"), must_reply=True)


def _cancel_ask(asked: Asked) -> Interpretation | None:
    return None if asked.question is None else asked.answering.dropped()


def _list(asked: Asked) -> Interpretation | None:
    names = [name for name in references_of(asked) if name not in {"all", "them", "both"}]
    when = asked.reading.words("WHEN") or asked.reading.words("OLD") or (untagged_time(asked) if not names else "")
    when = slots.bare_time(when, asked.words)
    people = (slots.people(asked.reading, asked.words) or "").removesuffix("'s") or None
    people = slots.EVERYONE if people is not None and people.casefold() in asked.words.everyone else people
    named = people if people is not None and people != slots.EVERYONE else ""
    arguments: dict[str, object] = {"filter": when or ", ".join(names) or named}
    is_common = people == slots.EVERYONE or asked.names(asked.words.common)
    if is_common or (not named and asked.names(asked.words.own)):
        arguments["whose"] = "chat" if is_common else "mine"
    return _one(asked, "reminder_list", arguments)


def _when_is(asked: Asked) -> Interpretation | None:
    when = slots.bare_time(asked.reading.words("WHEN"), asked.words)
    names = references_of(asked)
    if names and all(name.casefold() in asked.words.nearest for name in names):
        return _one(asked, "reminder_list", {"filter": when})
    if not names and not when and not asked.may_point and not asked.names(asked.words.reference_marks):
        return None
    of_last = "it" if asked.may_point or asked.is_addressed else ""
    return _one(asked, "reminder_list", {"filter": ", ".join(names) or when or of_last})


def _who_set(asked: Asked) -> Interpretation | None:
    names = ", ".join(references_of(asked)) or "it"
    return _one(asked, "reminder_list", {"filter": names, "who_set": True})


def _next_page(asked: Asked) -> Interpretation | None:
    return _one(asked, "reminder_list", {"page": 0})


def _undo(asked: Asked) -> Interpretation | None:
    return _one(asked, "undo", {})


def _summary(asked: Asked) -> Interpretation | None:
    slot = asked.reading.words
    is_missed = any(word in asked.folded_text for word in asked.words.missed)
    window = slot("WHEN") or (asked.folded_text if is_missed and not slot("TOPIC") and not slot("SPEAKER") else "")
    for word in asked.words.since:
        if window and f"{word}{asked.words.joint}{window}".casefold() in asked.folded_text:
            window = f"{word}{asked.words.joint}{window}"
        elif window and f"{window}{asked.words.joint}{word}".casefold() in asked.folded_text:
            window = f"{window}{asked.words.joint}{word}"
    return _one(asked, "summary", {"window": window, "topic": slot("TOPIC"), "person": slot("SPEAKER")})


def _summary_schedule(asked: Asked) -> Interpretation | None:
    times = _rhythm(asked) or named_times(asked)
    if len(times) != 1 or times[0].best is None:
        return None
    return _one(asked, "summary_schedule", schedule_arguments(times[0].best, asked.now))


def _rhythm(asked: Asked) -> list[TimeWords]:
    """Return a repetition whose words stand apart: "weekly summary at 6pm"."""
    text = asked.reading.text
    pieces = [text[token.start : token.end] for token in asked.reading.tokens if is_time(token)]
    time = slots.one_time(pieces, asked.words, asked.read) if len(pieces) > 1 else None
    return [time] if time is not None and time.best is not None and time.best.rrule is not None else []


def _zone(asked: Asked) -> Interpretation | None:
    zone = next(iter(asked.reading.pieces("ZONE")), "") or _unknown_zone(asked)
    return _one(asked, "time_zone", {"zone": zone, **_whose(asked)})


def _unknown_zone(asked: Asked) -> str:
    """Return the last word of a statement of a zone, where it can name a place: "my time zone is Atlantis"."""
    *before, last = zip(asked.reading.tokens, asked.reading.tags, strict=True)
    is_stated = bool(before) and before[-1][0].form in asked.words.before_zone and last[1] == NO_TAG
    return asked.reading.text[last[0].start : last[0].end] if is_stated and last[0].form.isalpha() else ""


def _zone_move(asked: Asked) -> Interpretation | None:
    return _one(asked, "time_zone", {"move_reminders": True})


def _quiet(asked: Asked) -> Interpretation | None:
    when = asked.reading.words("WHEN")
    if when and any(_is_other_day(each, asked) for each in named_times(asked)):
        return Interpretation(answer=say(asked.turn.language, "offline.day_off", time=when), must_reply=True)
    is_off = any(token.form in asked.words.quiet_off for token in asked.reading.tokens)
    return _one(asked, "quiet_hours", {"hours": when or ("off" if is_off else ""), **_whose(asked)})


def _is_other_day(time: TimeWords, asked: Asked) -> bool:
    """Return whether a time names one day that is not today: quiet hours are those of every day."""
    best = time.best
    is_one_day = best is not None and best.has_day and best.rrule is None
    return is_one_day and best is not None and best.start.date() != asked.now.date()


def _whose(asked: Asked) -> Mapping[str, object]:
    return {"whose": "chat"} if asked.reading.has("CHAT") else {}


def _remember(asked: Asked) -> Interpretation | None:
    text = slots.content(asked.reading, asked.words)
    return _one(asked, "memory_save", {"text": text}) if text else None


def _forget(asked: Asked) -> Interpretation | None:
    words = slots.reference_name(slots.content(asked.reading, asked.words), asked.words)
    named = None if asked.known is None else asked.known.like(words, common_words(asked.language))
    if named is not None:  # "you can forget about the milk"
        return asked.answering.one("reminder_delete", {"reminder_id": named.id})
    return _one(asked, "memory_forget", {"reference": words}) if words else None


def _recall(asked: Asked) -> Interpretation | None:
    query = slots.content(asked.reading, asked.words)
    is_exact = len(query) >= _SHORTEST_QUERY and (" " in query or not asked.words.joint)
    calls = looked_up_here(asked.turn, query) if is_exact else ()
    return Interpretation(calls=calls) if calls else None


def _find(asked: Asked) -> Interpretation | None:
    """Search the messages of the chat; what somebody said is summed up."""
    query, person = slots.content(asked.reading, asked.words), asked.reading.words("SPEAKER")
    if person:
        return _one(asked, "summary", {"person": person, "topic": query, "window": asked.reading.words("WHEN")})
    return _one(asked, "history_search", {"query": query}) if query else None


def _ask(asked: Asked) -> Interpretation | None:
    """Search for the answer to a question that stands beside a request, or for what is to be looked up.

    Any other question is looked up where nothing else is asked for.
    """
    ordered = asked.words.to_look_up(asked.reading.text)
    if ordered:
        return _one(asked, "perplexity_search", {"query": slots.content(asked.reading, asked.words) or ordered})
    tokens = asked.reading.tokens
    query = asked.reading.text[tokens[0].start : tokens[-1].end] if tokens else ""
    return _one(asked, "perplexity_search", {"query": query}) if asked.is_part and query else None


def _time_now(asked: Asked) -> Interpretation | None:
    """Tell the clock of the person who asks, or of the places that are named; of another day its date."""
    turn = asked.turn
    places = [find_zone(piece.strip()) for piece in asked.reading.pieces("ZONE")]
    zones = [zone for zone in places if zone is not None]
    if len(zones) < len(places) or asked.reading.has("PERSON"):
        return None
    days = [time.best.start for time in named_times(asked) if time.best is not None]
    other = next((day for day in days if day.date() != turn.now.date()), None)
    if other is not None:
        day = date_format.date(turn.language, other)
        return Interpretation(answer=say(turn.language, "offline.the_day", day=day), must_reply=True)
    told = [_clock(asked, zone) for zone in zones] or [_clock(asked, None)]
    return Interpretation(answer="\n".join(told), must_reply=True)


def _clock(asked: Asked, zone: str | None) -> str:
    now = asked.turn.now if zone is None else asked.turn.now.astimezone(ZoneInfo(zone))
    return say(
        asked.turn.language,
        "offline.the_time",
        clock=f"{now:%H:%M}",
        date=date_format.date(asked.turn.language, now),
        zone=zone or zone_name(now.tzinfo or UTC),
    )


def _one(asked: Asked, name: str, arguments: Mapping[str, object]) -> Interpretation:
    return asked.answering.one(name, arguments)


_MAKERS: dict[str, Make] = {
    "set": new_reminders.set_reminders,
    "repeat_last": new_reminders.repeat_last,
    "answer_when": new_reminders.answer_when,
    "answer_content": new_reminders.answer_content,
    "cancel_ask": _cancel_ask,
    "list": _list,
    "when_is": _when_is,
    "who_set": _who_set,
    "next_page": _next_page,
    "delete": changes.delete,
    "move": changes.move,
    "reword": changes.reword,
    "append": changes.append,
    "person_add": changes.person_add,
    "person_remove": changes.person_remove,
    "person_set": changes.person_set,
    "snooze": states.snooze,
    "pause": states.pause,
    "resume": states.resume,
    "done": states.done,
    "join": states.join,
    "leave": states.leave,
    "skip": changes.skip,
    "keep_days": changes.keep_days,
    "add_days": changes.add_days,
    "until": changes.until,
    "once": changes.stop_repeating,
    "urgent": changes.urgent,
    "not_urgent": changes.not_urgent,
    "nag": changes.nag,
    "catch_up_all": changes.catch_up,
    "catch_up_latest": changes.catch_up,
    "catch_up_none": changes.catch_up,
    "undo": _undo,
    "summary": _summary,
    "summary_schedule": _summary_schedule,
    "zone": _zone,
    "zone_move": _zone_move,
    "quiet": _quiet,
    "remember": _remember,
    "forget": _forget,
    "recall": _recall,
    "find": _find,
    "ask": _ask,
    "time_now": _time_now,
}
