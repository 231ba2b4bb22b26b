"""Format a summary for the chat."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, tzinfo

from msgspec import Struct

from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.context import CallContext
from services.kernel.chat import Person
from services.summary.model import Finding, Summary, SummaryMethod, SummaryWindow

_SHOWN_FINDINGS = 5
_SHOWN_PEOPLE = 5
_SHOWN_LINKS = 2
_AFTER = timedelta(seconds=1)
"""A window begins one instant before its first minute: "today" at 23:59:59.999999."""
_QUICK = timedelta(seconds=3)


class SummaryReader(Struct, frozen=True, kw_only=True):
    """The reader of a summary outside of a call: language, zone, the time now (in it), and links to messages."""

    language: str
    zone: tzinfo
    now: datetime
    link_of: Callable[[str], str | None]


Reader = CallContext | SummaryReader


class SummaryProgress:
    """Reports the progress of a long summary after some time."""

    def __init__(self, ctx: CallContext) -> None:
        self._ctx = ctx
        self._started_at = ctx.clock.now()

    async def __call__(self, done: int, total: int) -> None:
        """Report the progress, unless the summary is fast or finished."""
        if done < total and self._ctx.clock.now() - self._started_at >= _QUICK:
            await self._ctx.progress(say(self._ctx.language, "summary.progress", done=done, total=total))


def format_summary(summary: Summary, ctx: Reader, window: SummaryWindow, *, asker: Person | None = None) -> str:
    """Format the bullets, decisions, open questions, dates, links and limits of a summary."""
    language = ctx.language
    if summary.is_empty or summary.first_at is None or summary.last_at is None:
        return _empty(summary, ctx, window, asker)
    names = [person.name for person in summary.people[:_SHOWN_PEOPLE]]
    start, end = (date_format.minute(language, when, ctx.now) for when in (summary.first_at, summary.last_at))
    several = "summary.head_at" if start == end else "summary.head"
    head = say(
        language,
        several if summary.message_count > 1 else "summary.head_one",
        count=summary.message_count,
        people=date_format.join(language, names) + ("…" if len(summary.people) > _SHOWN_PEOPLE else ""),
        start=start,
        end=end,
    )
    # Sentences of a model name people; a quotation needs its author.
    key = "summary.point" if summary.method is SummaryMethod.MODEL else "summary.bullet"
    bullets = [
        say(language, key, who=bullet.sender, text=bullet.text) + message_links(bullet.message_ids, ctx)
        for bullet in summary.bullets
    ]
    return "\n".join([head, *bullets, *_findings(summary, ctx), *_limit_notes(summary, language)])


def _empty(summary: Summary, ctx: Reader, window: SummaryWindow, asker: Person | None) -> str:
    """Return the text for an empty summary: nobody wrote, only the person did, or only requests to the bot."""
    if window.person is not None or window.topic is not None:
        return say(ctx.language, "summary.empty_window")
    count = sum(fragment.message_count for fragment in summary.writers)
    own = sum(
        fragment.message_count for fragment in summary.writers if asker is not None and fragment.person_id == asker.id
    )
    requests = "request" if count == 1 else "requests"
    written = requests if count > own else "own" if own else "nobody"
    if window.since is None:
        return say(ctx.language, f"summary.empty_{written}", count=count)
    since = date_format.minute(ctx.language, window.since + _AFTER, ctx.now)
    return say(ctx.language, f"summary.empty_{written}_since", since=since, count=count)


def message_links(message_ids: Sequence[str], ctx: Reader) -> str:
    """Return links to the source messages, if the platform has links."""
    found = filter(None, map(ctx.link_of, message_ids[:_SHOWN_LINKS]))
    return "".join(f" [↗]({link})" for link in found)


def _limit_notes(summary: Summary, language: str) -> list[str]:
    """Return notes on the limits of the summary."""
    notes = [say(language, "summary.cut")] if summary.is_cut else []
    if summary.fallback_reason is not None:
        notes.append(say(language, "summary.fallback", reason=summary.fallback_reason))
    return notes


def _findings(summary: Summary, ctx: Reader) -> list[str]:
    found = summary.findings
    bullet_texts = {bullet.text for bullet in summary.bullets}
    dates = [
        Finding(text=date_finding.context, message_id=date_finding.message_id, sender=date_finding.sender)
        for date_finding in found.dates
    ]
    links = [Finding(text=link.url, message_id=link.message_id, sender=link.sender) for link in found.links]
    sections = (
        ("decisions", found.decisions),
        ("questions", found.open_questions),
        ("dates", [date_finding for date_finding in dates if date_finding.text not in bullet_texts]),
        ("links", links),
    )
    return [line for key, entries in sections for line in _section(ctx, key, entries)]


def _section(ctx: Reader, key: str, entries: Sequence[Finding]) -> list[str]:
    if not entries:
        return []
    shown = [
        say(ctx.language, "summary.bullet", who=entry.sender, text=entry.text) + message_links([entry.message_id], ctx)
        for entry in entries[-_SHOWN_FINDINGS:]
    ]
    return [say(ctx.language, f"summary.{key}"), *shown]
