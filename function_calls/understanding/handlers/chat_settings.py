"""Set and tell time zones, clocks and quiet hours."""

from collections.abc import Mapping
from datetime import UTC
from itertools import islice
from zoneinfo import ZoneInfo

from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.message import QUESTION_MARKS
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.times import TimeWords, is_clock_alone
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.request_times import find_times
from services.people.zones import find_zone

_MAX_WORDS_OF_PLACE = 3


def set_or_tell_zone(request: RequestContext) -> Interpretation | None:
    """Set or tell the time zone of the sender or the chat; that of another person is only told."""
    pieces = request.reading.pieces("ZONE")
    times = find_times(request) if pieces else []
    later = [time.words for time in times if _names_other_day(time, request)]
    if later:  # "I'm going to London on Friday"
        return request.answers.say("offline.zone_later", time=later[0], place=pieces[0])
    scope = _read_scope(request)
    if not scope and _is_about_other_person(request):
        person = request.find_members_named() or request.reading.words("PERSON")
        if person and not any(find_zone(piece.strip()) for piece in pieces):
            return request.answers.call_tool("time_zone", {"person": person})
        return request.answers.say("offline.own_setting")
    return request.answers.call_tool("time_zone", {"zone": _find_place(request), **scope})


def _find_place(request: RequestContext) -> str:
    """Return the place of a request: the one tagged as such, else the longest words at the end that are one."""
    words, text = request.words, request.reading.text
    tagged = [piece.strip() for piece in request.reading.pieces("ZONE")]
    is_statement = not (text.strip().endswith(QUESTION_MARKS) or request.has_part(words.triggers))
    ends = (text[token.start :] for token in request.reading.tokens if is_statement)
    places = (each for each in (*tagged, *ends) if find_zone(each) and words.fold(each) not in words.articles)
    return next(places, next(iter(tagged), ""))


def _is_about_other_person(request: RequestContext) -> bool:
    """Return whether a statement or a question is about another person, named before the sender or alone."""
    words, sender = request.words, request.words.fold(request.turn.message.sender.name)
    selves = {*words.oneself, *words.everyone, *words.own, *words.common, sender}
    tagged = (piece for piece in request.reading.pieces("PERSON") if find_zone(piece) is None)  # "no, Osaka"
    if any(words.fold(piece).removeprefix("@").removesuffix("'s") not in selves for piece in tagged):
        return True
    forms = [token.form.removesuffix("'s") for token in request.reading.tokens]
    places = {words.fold(piece.strip()) for piece in request.reading.pieces("ZONE") if find_zone(piece.strip())}
    members = {words.fold(name) for name in find_members(request.turn)} - {sender} - places
    text, behind_first = request.reading.text, [token for token in request.reading.untagged if token.start]
    if any(token.form.endswith("'s") and text[token.start].isupper() for token in behind_first):  # "set Ben's …"
        return True
    for form, following in zip(forms, [*forms[1:], ""], strict=True):
        if form in members | words.pronouns | words.people_nouns:
            return True
        if form in selves and following not in words.people_nouns:
            return False
    return request.has_phrase(members) and not request.has_word(words.own)


def set_quiet_hours(request: RequestContext) -> Interpretation | None:
    """Set, end or tell the quiet hours of the sender or the chat, which are the same every day."""
    from services.summary.content import asks

    scope = _read_scope(request)
    if not scope and _is_about_other_person(request):
        return request.answers.say("offline.own_setting")
    when, times = request.reading.words("WHEN").strip(" ?¿!."), find_times(request)
    if when and any(_names_other_day(time, request) for time in times):
        return request.answers.say("offline.day_off", time=when)
    if any("BYDAY" in (time.best.rrule or "") for time in times):
        return request.answers.say("offline.quiet_every_day", time=when)
    hours = "off" if _ends_quiet_hours(request, when, times) else when
    is_question = asks(request.reading.text)  # "are quiet hours on?"
    if not hours and not is_question and request.has_word(request.words.switching_on):
        return request.answers.say("offline.quiet_when")
    return request.answers.call_tool("quiet_hours", {"hours": hours, **scope})


def _ends_quiet_hours(request: RequestContext, when: str, times: list[TimeWords]) -> bool:
    """Return whether a request ends quiet hours, beside no clock: "you may message me at night again"."""
    words = request.words
    if request.has_word(words.allowing):
        return not when or not any(time.best.has_clock for time in times)
    return not when and request.has_word((*words.ending, *words.quiet_off))


def refuses_messages_between_clocks(request: RequestContext) -> bool:
    """Return whether a request that names no reminder refuses all between two clocks: "nothing between 10 and 7"."""
    is_refusal = request.has_word((*request.words.refusals, *request.words.without))
    times = [] if request.reading.has("REF") or not is_refusal else find_times(request)
    return len(times) == 1 and times[0].best.end is not None and is_clock_alone(times[0].best)


def _names_other_day(time: TimeWords, request: RequestContext) -> bool:
    """Return whether a time names one day that is not today, for which no setting can be made."""
    best = time.best
    return best.has_day and best.rrule is None and best.start.date() != request.now.date()


def _read_scope(request: RequestContext) -> Mapping[str, object]:
    """Return the argument that makes a setting one of the chat; empty for one of the sender."""
    is_for_chat = request.reading.has("CHAT") or request.has_word(request.words.group_names)
    return {"whose": "chat"} if is_for_chat else {}


def tell_time(request: RequestContext) -> Interpretation | None:
    """Tell the clock of the sender, or of people or places that are named; of another day its date and distance."""
    turn = request.turn
    places = [find_zone(piece.strip()) for piece in request.reading.pieces("ZONE")]
    zones = [zone for zone in places if zone is not None] or _find_zone_behind_preposition(request)
    people = "" if zones else request.find_members_named()
    if people:
        return request.answers.call_tool("time_zone", {"person": people})
    if len(zones) < len(places) or request.reading.has("PERSON"):
        return None
    times = [] if zones else [time.best.start for time in find_times(request)]
    other_day = next((time for time in times if time.date() != turn.now.date()), None)
    if other_day is not None:
        distance = (other_day.date() - turn.now.date()).days
        key = "offline.the_day_ahead" if distance > 0 else "offline.the_day"
        days = date_format.count(turn.language, "day", distance)
        return request.answers.say(key, day=date_format.date(turn.language, other_day), days=days)
    clocks = [_render_clock(request, zone) for zone in zones] or [_render_clock(request, None)]
    return Interpretation(answer="\n".join(clocks), must_reply=True)


def _find_zone_behind_preposition(request: RequestContext) -> list[str]:
    """Return the zone of the longest name of a place behind a preposition: "en Santo Domingo", "in Spain | now"."""
    tokens = request.reading.tokens
    runs = (
        request.reading.text_of(tokens[at + 1], tokens[at + count])
        for at, token in enumerate(tokens)
        for count in range(min(_MAX_WORDS_OF_PLACE, len(tokens) - at - 1), 0, -1)
        if token.form in request.words.prepositions
    )
    return list(islice(filter(None, map(find_zone, runs)), 1))


def _render_clock(request: RequestContext, zone: str | None) -> str:
    """Return the time and the date in `zone`; None for the zone of the sender."""
    now = request.turn.now if zone is None else request.turn.now.astimezone(ZoneInfo(zone))
    return say(
        request.turn.language,
        "offline.the_time",
        clock=f"{now:%H:%M}",
        date=date_format.date(request.turn.language, now),
        zone=zone or zone_name(now.tzinfo or UTC),
    )
