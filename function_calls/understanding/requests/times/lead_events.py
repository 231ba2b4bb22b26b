"""Find the event that a lead counts back from, by its name or as a coming reminder."""

from datetime import timedelta
from itertools import takewhile

from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.slots.small_words import are_function_words, find_longest_ending, tidy
from function_calls.understanding.reading.times import TimeWords, is_clock_alone
from function_calls.understanding.reading.tokens import Token, is_time
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.leads import find_leads, names_any_day, parse_lead
from services.reminders.model import Reminder

_DAY = timedelta(days=1)


def find_event_without_time(request: RequestContext) -> tuple[str, str]:
    """Return an event whose time is not named, and the words of the lead before it: "the exam", "the night".

    Return "" for both where a request counts back from no event, or from one with a time.
    """
    reading = request.reading
    name, leads = _find_tagged_event_name(request) or find_event_name_beside_lead(request), reading.pieces("LEAD")
    clocks = [piece for piece in reading.pieces("WHEN") if not names_any_day(piece, request)]
    lead = " ".join([*leads, *clocks]) if len(leads) == 1 else ""
    is_open = bool(name) and bool(lead) and not request.list_readings(name)
    return (name, lead) if is_open and parse_lead(lead, request) is not None else ("", "")


def _find_tagged_event_name(request: RequestContext) -> str:
    """Return the words tagged as an event, with the article in front of them; "" for none or several."""
    reading, spans = request.reading, request.reading.spans("EVENT")
    if len(spans) != 1:
        return ""
    start, end = spans[0]
    articles = [token for token in reading.untagged if token.form in request.words.articles]
    begin = next((token.start for token in articles if reading.text[token.end : start] == " "), start)
    return reading.text[begin:end]


def find_event_name_beside_lead(request: RequestContext) -> str:
    """Return the name of the event of a lead, where it is not tagged: "the night before the exam"; "" for none.

    It may be tagged as the whole content, behind an article.
    """
    reading, words = request.reading, request.words
    if not words.joint:
        return _find_event_name_in_front(request)
    ahead = find_words_behind_lead(request)
    behind = ahead[1:]
    if ahead and all(token.form in words.articles for token in behind):
        last = (behind or ahead)[-1].end
        content = next((span for span in reading.spans("CONTENT") if span[0] == last + 1), (last, last))
        name = reading.text[slice(*content)]
        return name if behind or words.fold(name).partition(" ")[0] in words.articles else ""
    ends = words.task_links | words.reminding
    tokens = list(takewhile(lambda token: token.form not in ends, behind))
    forms = [token.form for token in tokens if token.form not in words.demonstratives]
    is_name = bool(forms) and not are_function_words(forms, words) and not any(map(is_time, tokens))
    return reading.text_of(tokens[0], tokens[-1]) if is_name else ""


def _find_event_name_in_front(request: RequestContext) -> str:
    """Return the untagged or content characters in front of a word such as 前: 排练 of 排练前一天."""
    text = "".join(token.form if tag in {NO_TAG, "CONTENT"} else "," for token, tag in request.reading.tagged)
    phrase = next((each for each in text.split(",") if each.endswith(request.words.ahead)), "")
    word = find_longest_ending(phrase, request.words.ahead)
    name = tidy(phrase.removesuffix(word), ("请", *request.words.before_time)) if word else ""
    return "" if are_function_words(name, request.words) else name


def find_reminder_counted_from(request: RequestContext) -> Reminder | None:
    """Return the only reminder from which a lead is counted back: "an hour before book club", 排练前一天."""
    if request.reading.has("EVENT") or not find_leads(request, has_event=True):
        return None
    return find_reminder_of_event(find_event_name_beside_lead(request), request)


def counts_back_from_other_event(request: RequestContext) -> bool:
    """Return whether a lead counts back from an event that is no reminder: "also the day before the party"."""
    reading, words = request.reading, request.words
    event_forms = [token.form for token, tag in reading.tagged if tag == "EVENT" and not is_time(token)]
    name = "" if reading.has("REF") else find_event_name_beside_lead(request)
    is_definite = not words.joint or words.fold(name).partition(" ")[0] in words.articles
    has_name = (bool(name) and is_definite) or not are_function_words(event_forms, words)
    return reading.has("LEAD") and has_name and find_reminder_counted_from(request) is None


def find_reminder_of_event(name: str, request: RequestContext) -> Reminder | None:
    """Return the coming reminder that shares words with `name`; of several with the same text, the last."""
    reminders = request.chat_reminders
    closest = () if reminders is None else reminders.find_closest(name, request.common_words)
    if not closest and reminders is not None and not request.words.joint:
        closest = reminders.find_alike(name, request.common_words)
    return closest[-1] if len({each.content for each in closest}) == 1 else None


def find_words_behind_lead(request: RequestContext) -> tuple[Token, ...]:
    """Return "before" and the untagged words behind it, where it follows a lead: "2 hours | before the gala too"."""
    tokens, tags = request.reading.tokens, request.reading.tags
    ahead = request.words.ahead
    first = next((at for at in range(1, len(tags)) if tags[at - 1] == "LEAD" and tokens[at].form in ahead), len(tags))
    return tuple(tokens[at] for at in takewhile(lambda at: tags[at] == NO_TAG, range(first, len(tags))))


def join_times_of_event(request: RequestContext) -> RequestContext:
    """Return the request with the day in the name of an event, or in front of the lead, and its clock as its time.

    "La reunión del viernes es a las 11; avísame 15 minutos antes".
    """
    reading, words = request.reading, request.words
    if not reading.has("LEAD"):
        return request
    tags, times = [*reading.tags], [at for at, token in enumerate(reading.tokens) if is_time(token)]
    days = [at for at in times if names_any_day(reading.text_of(reading.tokens[at]), request)]
    clocks = [at for at in times if at not in days and tags[at] in {"EVENT", NO_TAG}]
    if len(days) != 1 or len(clocks) != 1:
        return request
    (day,), (clock,) = days, clocks
    is_linked = reading.forms[day - 1] in words.before_time
    if tags[day] not in {"LEAD", "EVENT"} and not (tags[day] == "CONTENT" and is_linked):
        return request
    for at in takewhile(lambda at: reading.forms[at] in words.copulas_of_events, range(clock - 1, day, -1)):
        tags[at] = NO_TAG if tags[at] == "CONTENT" else tags[at]
    for at in reversed(range(len(tags) - 1)):
        if tags[at : at + 2] == ["EVENT", "CONTENT"] and at not in times:
            tags[at] = "CONTENT"  # "la reunión | con el cliente"
    for at in (day - is_linked, day, clock):
        tags[at] = "EVENT"
    return request.with_tags(tags)


def tag_day_of_event(request: RequestContext) -> RequestContext:
    """Return the request with the day of an event tagged as a time, where only its clock is open.

    The day stands in front of the lead or beside the event: "Monday an hour before the handover".
    """
    tokens, tags = request.reading.tokens, request.reading.tags
    days = [at for at, tag in enumerate(tags) if tokens[at].form == "@day" and tag in {"LEAD", "EVENT"}]
    if len(days) != 1 or "LEAD" not in tags or "WHEN" in tags:
        return request
    tagged = request.with_tags("WHEN" if at in days else tag for at, tag in enumerate(tags))
    _, words = find_event_without_time(tagged)
    lead = parse_lead(words, request) if words else None
    return request if lead is None or lead[0] >= _DAY else tagged


def separate_event_from_clock(request: RequestContext) -> RequestContext:
    """Return the request with an event untagged that is a coming reminder, and the clock beside it as when to remind.

    The event may be a clock alone: "the night before at 8".
    """
    reading, words = request.reading, request.words
    tokens = [token for token, tag in reading.tagged if tag == "EVENT"]
    if not tokens or not reading.has("LEAD"):
        return request
    forms = [token.form for token in tokens if not is_time(token)]
    name = "" if are_function_words(forms, words) else words.joint.join(forms)
    clocks = [reading.text_of(token) for token in tokens if is_time(token)] if name else reading.pieces("EVENT")
    time = request.parse_time(clocks)
    is_separate = bool(name) if time is None else _is_clock_to_remind(time, request)
    if not is_separate:
        return request
    name_tag = "EVENT" if find_reminder_of_event(name, request) is None else NO_TAG
    return request.with_tags(
        tag if tag != "EVENT" else name_tag if name and not is_time(token) else "WHEN" for token, tag in reading.tagged
    )


def _is_clock_to_remind(time: TimeWords, request: RequestContext) -> bool:
    """Return whether a time beside an event is a clock days ahead of it: "2 days before book club at 6pm"."""
    is_of_days = all(length >= _DAY for length, _ in find_leads(request, has_event=True))
    return is_of_days and not request.reading.has("WHEN") and is_clock_alone(time.best)
