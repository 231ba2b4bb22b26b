"""Offer buttons that set a reminder for the dates in a summary."""

import re
from datetime import timedelta

from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.context import CallContext
from services.kernel.chat import Choice
from services.summary.model import DateMention, Summary

_MAX_OFFERS = 3
_SOON = timedelta(minutes=1)
_MAX_CONTENT_LENGTH = 60
# The sentence is untrusted and becomes part of a request, so only one clause without punctuation is used.
_CLAUSE_END = re.compile(
    r"[\n.,;:!?¿¡…，。；：！？、|/\\]|然后|并且|顺便|以及|再"
    r"|\b(?:and|then|also|y|luego|después|despues|también|tambien|además|ademas)\b",
    re.IGNORECASE,
)
_NOT_PLAIN = re.compile(r"[^\w\s%+'-]+")


def reminder_offers(summary: Summary, ctx: CallContext) -> tuple[Choice, ...]:
    """Return at most three buttons that set a reminder for a coming date of `summary`, soonest first."""
    coming = {
        date_finding.at: date_finding
        for date_finding in summary.findings.dates
        if date_finding.at is not None and date_finding.at > ctx.now + _SOON
    }
    offers = (_offer(coming[at], ctx) for at in sorted(coming))
    return tuple(offer for offer in offers if offer is not None)[:_MAX_OFFERS]


def _offer(date: DateMention, ctx: CallContext) -> Choice | None:
    content = _plain(date.context) or _plain(date.phrase)
    if date.at is None or not content:
        return None
    at = date.at.astimezone(ctx.zone)
    when = date_format.minute(ctx.language, at, ctx.now)
    return Choice(
        label=say(ctx.language, "summary.offer_label", when=when),
        says=say(ctx.language, "summary.offer_says", time=f"{at:%Y-%m-%d %H:%M}", content=content),
    )


def _plain(sentence: str) -> str:
    """Return the first clause of `sentence` with words, without punctuation."""
    clauses = (" ".join(_NOT_PLAIN.sub(" ", clause).split()) for clause in _CLAUSE_END.split(sentence))
    return next((clause[:_MAX_CONTENT_LENGTH] for clause in clauses if any(map(str.isalpha, clause))), "")
