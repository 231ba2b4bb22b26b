"""Determine the window of a summary from the person's words: times, counts, "since my last message"."""

import re
import tomllib
import unicodedata
from datetime import datetime, time, timedelta
from functools import cache
from importlib.resources import files

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.recognized_phrases import any_of
from function_calls.models import SummaryArgs
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.recurrence.fires import just_before
from services.summary.model import SummaryWindow
from services.time_expressions import DayParts, Grain, Reading, parse

_MAX_MESSAGES = 5_000
_MAX_COUNTED_MESSAGES = 1_000
_FILE = "windows.toml"
_WORD_EDGES = " \t\n.,;!?~。，；！？～"
_BEGINNINGS = DayParts(
    day=time(0),
    dawn=time(4),
    early=time(5),
    morning=time(5),
    forenoon=time(8),
    noon=time(12),
    after_noon=time(12),
    afternoon=time(12),
    after_school=time(15),
    dusk=time(17),
    evening=time(17),
    night=time(18),
    late=time(21),
)
"""The beginning of the parts of the day as periods."""


class _Words(Struct, frozen=True, kw_only=True):
    own: re.Pattern[str]
    count: tuple[re.Pattern[str], ...]
    open: re.Pattern[str]
    recent: re.Pattern[str]
    thread: re.Pattern[str]
    oneself: re.Pattern[str]
    numbers: dict[str, int]
    reworded: tuple[tuple[re.Pattern[str], str], ...]


async def requested_window(args: SummaryArgs, ctx: CallContext, history: HistoryService) -> SummaryWindow:
    """Return the window of the arguments; without one, the recent messages.

    Raises:
        RequestRefused: the words do not name a window.
    """
    words = _words()
    recent = SummaryWindow(
        person=_person(args.person, ctx),
        topic=args.topic or None,
        until=ctx.message.sent_at,
        before=ctx.message.id,
    )
    window_text = _fold(args.window or "")
    if ctx.message.reply_to is not None and words.thread.search(window_text):
        return replace(recent, thread_of=ctx.message.reply_to, limit=_MAX_MESSAGES)
    if words.own.search(window_text):
        since = await _find_missed_since(ctx, history)
        return recent if since is None else replace(recent, since=since, limit=_MAX_MESSAGES)
    if not args.window and (args.topic or args.person):
        # The messages of one person in a busy chat may be older than the last few.
        return replace(recent, limit=_MAX_COUNTED_MESSAGES)
    if words.recent.search(window_text):
        return recent
    window = _narrow_by_count(window_text, recent) or _narrow_by_time(window_text, ctx, recent)
    if window is None and args.window:
        raise RequestRefused("summary_window", window=args.window)
    return window or recent


def asks_what_was_missed(args: SummaryArgs) -> bool:
    """Return whether `text` asks for messages since the person's last one: "what did I miss?"."""
    return _words().own.search(_fold(args.window or "")) is not None


def window_words(text: str, ctx: CallContext, *, is_narrowed: bool) -> str | None:
    """Return the words of `text` that name a window; None if there are none.

    With a person or a topic (`is_narrowed`), times and counts in the text may belong to those.
    """
    words, plain = _words(), _fold(text)
    named = (words.thread.search(plain) if ctx.message.reply_to is not None else None) or words.own.search(plain)
    if named is not None:
        return named[0]
    if is_narrowed or words.recent.search(plain):
        return None
    counted = next(filter(None, (pattern.search(plain) for pattern in words.count)), None)
    if counted is not None:
        return counted[0]
    return plain if _narrow_by_time(plain, ctx, SummaryWindow()) is not None else None


async def _find_missed_since(ctx: CallContext, history: HistoryService) -> datetime | None:
    """Return when the person last wrote to the others; None if never.

    If nobody has written to people since then, return the beginning of the day on which others last did. Requests to
    the bot do not show that somebody has read the chat.
    """
    from services.summary.content import content_messages, find_answered, is_content, is_request

    earlier = await history.before(ctx.message, _MAX_COUNTED_MESSAGES)
    written = [message for message in earlier if is_content(message) and not is_request(message)]
    last = next((message for message in reversed(written) if message.sender.id == ctx.sender.id), None)
    before = earlier[0].sent_at if earlier else ctx.message.sent_at
    last = last or await history.last_message_of(ctx.chat, ctx.sender, before=before)
    others = [
        message.sent_at
        for message in content_messages(earlier, find_answered(earlier))
        if message.sender.id != ctx.sender.id
    ]
    if last is None or not others or others[-1] > last.sent_at:
        return None if last is None else last.sent_at
    return just_before(_midnight(others[-1].astimezone(ctx.zone)))


def _person(name: str | None, ctx: CallContext) -> str | None:
    """Return the requested author of messages: a name as written, or the person."""
    if name and _words().oneself.fullmatch(_fold(name)):
        return ctx.sender.id
    return name or None


def _narrow_by_count(window_text: str, recent: SummaryWindow) -> SummaryWindow | None:
    words = _words()
    for pattern in words.count:
        found = pattern.search(window_text)
        if found is not None:
            number = words.numbers.get(found["n"]) or int(found["n"])
            return replace(recent, count=min(max(number, 1), _MAX_COUNTED_MESSAGES), limit=2 * _MAX_COUNTED_MESSAGES)
    return None


def _narrow_by_time(window_text: str, ctx: CallContext, recent: SummaryWindow) -> SummaryWindow | None:
    now = ctx.message_time.astimezone(ctx.zone)
    for pattern, replacement in _words().reworded:
        window_text = pattern.sub(replacement, window_text)
    reading = parse(window_text, now, language=ctx.language, future=False, day_parts=_BEGINNINGS).best
    reading = reading or parse(window_text, now, future=False, day_parts=_BEGINNINGS).best
    if reading is None or reading.rrule is not None:
        return None
    start, end = _bounds(reading)
    if start > now:
        return None
    is_open = end is None or (_words().open.search(window_text) is not None and reading.end is None)
    until = ctx.message.sent_at if is_open or end is None else min(end, ctx.message.sent_at)
    # A window includes its first moment; stores return messages after a moment.
    return replace(recent, since=just_before(start), until=until, limit=_MAX_MESSAGES)


def _bounds(reading: Reading) -> tuple[datetime, datetime | None]:
    """Return the first moment of the words, and the end of the day, week, month or year that they name."""
    start = reading.start
    if reading.end is not None or reading.has_clock:
        return start, reading.end
    if reading.grain is Grain.WEEK:
        monday = _midnight(start) - timedelta(days=start.weekday())
        return monday, monday + timedelta(days=7)
    if reading.grain is Grain.MONTH:
        first = _midnight(start).replace(day=1)
        return first, (first + timedelta(days=32)).replace(day=1)
    if reading.grain in {Grain.QUARTER, Grain.YEAR}:
        return _midnight(start).replace(day=1), None
    return start, _midnight(start + timedelta(days=1))


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip(_WORD_EDGES).replace("’", "'")


@cache
def _words() -> _Words:
    table = tomllib.loads(files("function_calls.functions.summary").joinpath(_FILE).read_text(encoding="utf-8"))
    numbers = "|".join(sorted(table["numbers"], key=len, reverse=True))
    return _Words(
        own=any_of(table["own"]),
        count=tuple(re.compile(entry.replace("%N", numbers)) for entry in table["count"]),
        open=any_of(table["open"]),
        recent=any_of(table["recent"]),
        thread=any_of(table["thread"]),
        oneself=any_of(table["oneself"]),
        numbers=dict(table["numbers"]),
        reworded=tuple((re.compile(entry["from"]), str(entry["to"])) for entry in table["reworded"]),
    )
