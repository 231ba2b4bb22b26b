"""The offline parts of the bot, asked the way the corpora ask: one phrase or sentence at a time."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from benchmarks.evaluation.time_cases import TimeAnswer
from function_calls.understanding.pack import load_pack
from function_calls.understanding.questions import asks_the_world
from function_calls.understanding.requests import Ear, Request
from services.time_expressions import DateOrder, parse, parse_all
from services.time_expressions.zones import zone_of

SEARCH = "perplexity_search"
_ZONE = ZoneInfo("Asia/Shanghai")
_BOT_NAMES = ("bubbles",)


class Understood(Struct, frozen=True, kw_only=True):
    """What a sentence asks for: the tool and, of a reminder, its parts; empty parts were not found.

    `when` are words that name a time, also one that no clock can read ("later").
    """

    tool: str
    content: str = ""
    person: str = ""
    when: str = ""
    rule: str = ""


def read_phrase(text: str, reference: datetime, language: str, order: str) -> TimeAnswer | None:
    """The time in `text`; the suites are naive, so UTC stands in for the speaker's zone.

    They label "5pm PST" as 17:00, by the clock of the place that is named, so it is answered by that clock.
    `shortest_period` lets recurrences below a minute through, which a reminder would refuse.
    """
    found = parse(
        text,
        reference.replace(tzinfo=UTC),
        language=language,
        order=DateOrder(order) if order else None,
        shortest_period=timedelta(seconds=1),
    ).best
    if found is None:
        return None
    start = (found.start.astimezone(zone_of(found.zone)) if found.zone else found.start).replace(tzinfo=None)
    rule = found.rrule or ""
    if rule and start.date() > reference.date() + timedelta(days=1):
        # Words moved the first fire; a default hour that has passed already moves it to tomorrow at most.
        rule = f"DTSTART={start:%Y%m%d};{rule}"
    return TimeAnswer(start=start, rule=rule)


def read_sentence(text: str, language: str, now: datetime) -> Understood | None:
    """Return what `text` asks for where nobody is known to speak to the bot; None when it asks for nothing.

    The corpora do not say which questions were put to an assistant: one about the world (weather, traffic, facts) is
    taken for one.
    """
    pack = load_pack(language)
    ear = Ear(
        pack=pack,
        now=now.replace(tzinfo=_ZONE),
        names=_BOT_NAMES,
        is_addressed=False,
        read_times=parse_all,
    )
    requests = ear.requests(text)
    if requests:
        return _understood(requests[0])
    return Understood(tool=SEARCH) if asks_the_world(text, pack) else None


def _understood(request: Request) -> Understood:
    if not request.reminders:
        return Understood(tool=request.intent)
    reminder = request.reminders[0]
    time = reminder.time
    best = time.best if time is not None else None
    return Understood(
        tool=request.intent,
        content=reminder.content,
        person=(reminder.person or "").replace(" and ", " "),  # the corpora mark people name by name
        when=time.words if time is not None else "",
        rule=(best.rrule if best is not None else None) or "",
    )
