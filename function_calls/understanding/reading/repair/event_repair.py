"""Tell the time of an event or a deadline in a request from the time at which to remind."""

from collections.abc import Sequence

from msgspec.structs import replace

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading, find_runs
from function_calls.understanding.reading.segments.reminder_splits import find_asking_words
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, is_time

Run = tuple[int, int]
_CLOCKS = frozenset({"@clock", "@dayclock", "@part", "@daypart"})
_DAYS = frozenset({"@day", "@dayclock", "@daypart"})


def tag_event(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with a statement in front of its only request tagged as an event.

    "I have the gym on Thursday, at 1pm remind me to bring a towel" asks for one reminder.
    """
    request_at, contents, times = _find_parts(reading, words)
    contents_ahead = [run for run in contents if run[1] <= request_at]
    if contents_ahead and len(contents_ahead) == len(contents):
        return _tag_named_event(reading, request_at, times)
    if not contents_ahead and _is_time_of_statement(reading, request_at, times, words):
        return _set_tag(reading, times[0], "EVENT")
    if not contents_ahead or len(times) < 2 or times[0][1] > request_at or not _has_own_clock(reading, times):
        return reading
    for run in contents_ahead:
        reading = _set_tag(reading, run, NO_TAG)
    begins = () if len(contents) == len(contents_ahead) + 1 else reading.begins
    return _set_tag(replace(reading, begins=begins), times[0], "EVENT")


def _is_time_of_statement(reading: MessageReading, request_at: int, times: Sequence[Run], words: Lexicon) -> bool:
    """Return whether the first of two times is in a clause of its own: 周三停水，周二晚上提醒大家接水."""
    if len(times) != 2 or reading.has("EVENT") or reading.has("LEAD"):
        return False
    is_rule = any(reading.tokens[at].form == "@ruletime" for at in range(*times[1]))
    if times[1][1] > request_at and not _has_own_clock(reading, times):
        return False
    if is_rule and not _are_apart(reading, times):
        return False
    end = min(request_at, times[1][0])
    marks = [at for at in range(times[0][1], end) if reading.tokens[at].form in CLAUSE_ENDS]
    statement = range(marks[-1]) if marks else range(0)
    forms = [reading.tokens[at].form for at in statement if not is_time(reading.tokens[at])]
    return bool(forms) and not are_function_words(forms, words)


def _has_own_clock(reading: MessageReading, times: Sequence[Run]) -> bool:
    """Return whether the last of several times names a clock or a part of the day, and is no piece of the first.

    Other times belong to the one before: "every four days at 10, …, begin on Wednesday".
    """
    last = reading.tokens[slice(*times[-1])]
    has_clock = any(token.form in _CLOCKS or token.form.isdecimal() for token in last)
    return has_clock and _are_apart(reading, times)


def _are_apart(reading: MessageReading, times: Sequence[Run]) -> bool:
    """Return whether the first and the last of several times are no pieces of one expression."""
    first, last = ({token.expression for token in reading.tokens[slice(*run)]} - {-1} for run in (times[0], times[-1]))
    return not first & last


def _tag_named_event(reading: MessageReading, request_at: int, times: Sequence[Run]) -> MessageReading:
    """Return `reading` with the first time as that of the event which is its content.

    "The report is due on Thursday, remind us on Wednesday evening": the request says itself when, in its own clause.
    """
    marks = [at for at in range(request_at) if reading.tokens[at].form in CLAUSE_ENDS]
    ahead = [run for run in times if marks and run[1] <= marks[-1]]
    if not ahead or len(ahead) == len(times) or reading.has("LEAD") or "CONTENT" in reading.tags[marks[-1] :]:
        return reading
    if not _has_own_clock(reading, times):
        return reading
    for run in ahead:
        reading = _set_tag(replace(reading, begins=()), run, "EVENT")
    return reading


def resolve_that_day(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with the day for which "that day" stands: "we're closed on Monday, remind me that day at 9"."""
    forms = reading.forms
    days = [at for at, form in enumerate(forms) if form in _DAYS and reading.tags[at] in {NO_TAG, "EVENT", "WHEN"}]
    pointing = _find_phrase(forms, words.same_day_phrases, words)
    if len({reading.tokens[at].expression for at in days}) != 1 or not pointing:
        return reading
    is_event = not reading.begins
    tag = "EVENT" if is_event else "WHEN"  # else it has been read with its clock
    others = [at for at in range(len(forms)) if at not in pointing]
    behind = next((at for at in range(pointing[-1] + 1, len(forms)) if reading.tags[at] != "LEAD"), len(forms))
    clock = range(pointing[-1] + 1, behind)  # 当天中午 is no lead
    tags = (tag if at in days else "WHEN" if at in clock else each for at, each in enumerate(reading.tags))
    return reading.with_tags(tags).with_tokens(others)


def tag_event_behind_day(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with an event behind a day tagged as a part of its time: "tomorrow after drop-off to check".

    The bot then asks for the clock. The event ends at "to", or where the content begins.
    """
    forms, tags = reading.forms, reading.tags
    behind = [at for at, form in enumerate(forms) if at and form in words.around_events and forms[at - 1] == "@day"]
    first = next((at for at in behind if tags[at - 1] == "WHEN"), len(forms))
    end = _find_end_of_event(reading, first + 1, words)
    return _cut_event(reading, (first, end), "WHEN", words) if end else reading


def tag_event_behind_lead(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with an event at the beginning of its content tagged, behind "the day before": "the trip to"."""
    tokens, tags = reading.tokens, reading.tags
    behind = [at for at in range(2, len(tags)) if tags[at - 2] == "LEAD" and tokens[at - 1].form in words.ahead]
    first = next((at for at in behind if tags[at - 1] != "CONTENT"), len(tags))
    first += tags[first : first + 1] == (NO_TAG,) and tokens[first].form in words.event_links
    end = _find_end_of_event(reading, first, words) if _begins_content(reading, first, words) else 0
    return _cut_event(reading, (first, end), "EVENT", words) if end else reading


def _find_end_of_event(reading: MessageReading, first: int, words: Lexicon) -> int:
    """Return where the name of an event that begins at `first` ends: at "to", or at the content; 0 for no name."""
    tokens, tags = reading.tokens, reading.tags
    begin = next((at for at in range(first, len(tags)) if tags[at] == "CONTENT"), len(tags))
    links = [at for at in range(first, len(tags)) if tokens[at].form in words.task_links]
    is_joined = _begins_content(reading, first, words)
    end = next((at for at in links if "CONTENT" in tags[at + 1 :]), 0) if is_joined else begin
    clock = next((at for at in range(first, end) if tokens[at].form == "@clock"), end)
    if is_joined and set(tags[first:clock]) == {"CONTENT"}:
        end = clock  # "the day before book club at noon to bake"
    return 0 if are_function_words((token.form for token in tokens[first:end]), words) else end


def _begins_content(reading: MessageReading, at: int, words: Lexicon) -> bool:
    """Return whether the content begins at a token, or behind it where that is an article."""
    is_article = reading.tags[at : at + 1] == (NO_TAG,) and reading.tokens[at].form in words.articles
    return reading.tags[at + is_article : at + is_article + 1] == ("CONTENT",)


def _cut_event(reading: MessageReading, event: Run, tag: str, words: Lexicon) -> MessageReading:
    """Return `reading` with `tag` for the name of an event, and a "to" behind it untagged."""
    end = event[1]
    is_linked = end < len(reading.tokens) and reading.tokens[end].form in words.task_links
    return _set_tag(_set_tag(reading, event, tag), (end, end + is_linked), NO_TAG)


def untag_that_day(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` without "that day" and a "to" behind it where its time begins: 当天八点."""
    pointing = _find_phrase(reading.forms, words.same_day_phrases, words)
    runs = [run for run in find_runs(reading.tags, "WHEN") if pointing and run[0] in pointing]
    if not runs or runs[0][1] <= pointing[-1] + 1:
        return reading
    is_linked = reading.tokens[pointing[-1] + 1].form in words.task_links
    return _set_tag(reading, (pointing[0], pointing[-1] + 1 + is_linked), NO_TAG)


def _find_phrase(forms: Sequence[str], phrases: Sequence[str], words: Lexicon) -> range:
    """Return the places of the first of `phrases` among `forms`."""
    for phrase in phrases:
        parts = phrase.split() if words.joint else list(phrase)
        for at in range(len(forms) - len(parts) + 1):
            if list(forms[at : at + len(parts)]) == parts:
                return range(at, at + len(parts))
    return range(0)


def has_unclear_time(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether untagged words of a request refer to a time of an earlier message: "on that day"."""
    text = reading.join_untagged(words.joint)
    content = words.fold(reading.words("CONTENT")).strip(" .!?")
    ends_unclear = bool(words.joint) and content.endswith(tuple(f" {word}" for word in words.unclear_times))
    return ends_unclear or words.has_any(words.unclear_times, text) or names_vague_time(reading, words)


def names_vague_time(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether words outside of the content name a time that nobody knows: "during work hours", 下周找一天."""
    return words.has_any(words.vague_times, _join_words_of_time(reading, words))


def names_event_for_clock(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether words outside of the content name an event instead of a clock: "tomorrow when I leave work"."""
    return words.has_any(words.event_clauses, _join_words_of_time(reading, words))


def _join_words_of_time(reading: MessageReading, words: Lexicon) -> str:
    """Return the folded words that are untagged or tell when, with a comma for each of the others."""
    pieces = [reading.text_of(token) if tag in {NO_TAG, "WHEN"} else "," for token, tag in reading.tagged]
    return words.fold(words.joint.join(pieces))


def _find_parts(reading: MessageReading, words: Lexicon) -> tuple[int, list[Run], list[Run]]:
    """Return the place of the first word that asks to remind, and the runs of contents and of times."""
    request_at = min([*find_asking_words(reading.tokens, words), *_find_asked_people(reading, words)], default=0)
    return request_at, list(find_runs(reading.tags, "CONTENT")), list(find_runs(reading.tags, "WHEN"))


def _find_asked_people(reading: MessageReading, words: Lexicon) -> list[int]:
    """Return the places of verbs that ask to remind the people behind them: "tell me", "nudge her".

    Without one, it is the first person behind a time and a mark: "it lands at 3, Steve needs a reminder at 1".
    """
    forms, tags = reading.forms, reading.tags
    verbs = {phrase.partition(" ")[0] for phrase in words.calling} if words.joint else set()
    people = words.oneself | words.pronouns
    pairs = enumerate(zip(forms, forms[1:], tags[1:], strict=False))
    places = [at for at, (form, behind, tag) in pairs if form in verbs and (tag == "PERSON" or behind in people)]
    if places or not words.joint:
        return places
    names = [first for first, _ in find_runs(tags, "PERSON")][:1]
    ahead = forms[tags.index("WHEN") : names[0]] if names and "WHEN" in tags[: names[0]] else []
    return names if CLAUSE_ENDS.intersection(ahead) else [at for at in names if forms[at] in verbs]


def _set_tag(reading: MessageReading, run: Run, tag: str) -> MessageReading:
    """Return `reading` with `tag` for the tokens of `run`."""
    return reading.with_tags(tag if at in range(*run) else each for at, each in enumerate(reading.tags))
