"""Find the part of a message that a call is about, so that times of other requests are ignored."""

import re
from collections.abc import Sequence

from msgspec import Struct

from function_calls.grounding.intents import requests_in
from function_calls.tools.context import CallContext
from function_calls.understanding.requests import Request
from function_calls.understanding.time_words import TimeWords

_SIGNS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]", re.IGNORECASE)
_ENOUGH = 0.5
"""How much of a content stands in the words of its request; a model may well word the rest in its own way."""


class OwnPart(Struct, frozen=True, kw_only=True):
    """The `words` that ask for a reminder, and the `time` among them where they ask for several reminders."""

    words: str
    time: TimeWords | None = None


def own_part(content: str, ctx: CallContext) -> OwnPart:
    """Return the part of the message that asks to be reminded of `content`; all of it where that is unknown."""
    requests = requests_in(ctx)
    reminders = [(each.content, each.time, asked) for asked in requests for each in asked.reminders]
    if len(requests) < 2 and len(reminders) < 2:
        return OwnPart(words=ctx.message.text)
    rivals = [(_request_text(each), None, each) for each in requests if not each.reminders]
    place = _best_match(content, [*(words for words, _, _ in reminders), *(words for words, _, _ in rivals)])
    if place is None and len(reminders) == 1 and len(_set_in(requests)) == 1:
        place = 0  # in another language or other words: the only candidate
    if place is None or place >= len(reminders) or reminders[place][2].intent != "reminder_set":
        return OwnPart(words=ctx.message.text)
    _, time, request = reminders[place]
    is_shared = len(reminders) > 1
    return OwnPart(
        words=_request_text(request), time=time if is_shared and time is not None and time.readings else None
    )


def own_words_for(intent: str, reference: str, ctx: CallContext) -> str:
    """Return the part of the message that asks for `intent` with `reference`; all of it where none does."""
    requests = requests_in(ctx)
    asked = [_request_text(each) for each in requests if each.intent == intent]
    if len(requests) < 2 or not asked:
        return ctx.message.text
    if len(asked) == 1:
        return asked[0]
    place = _best_match(reference, asked)
    return ctx.message.text if place is None else asked[place]


def _request_text(request: Request) -> str:
    return request.clause.restore(request.clause.text)


def _set_in(requests: Sequence[Request]) -> list[Request]:
    return [each for each in requests if each.intent == "reminder_set"]


def _best_match(content: str, candidates: Sequence[str]) -> int | None:
    """Return the index of the one candidate with the most words of `content`; None on a tie."""
    wanted = set(_SIGNS.findall(content.lower()))
    shares = [len(wanted & set(_SIGNS.findall(each.lower()))) / max(len(wanted), 1) for each in candidates]
    best = max(shares, default=0.0)
    return shares.index(best) if best >= _ENOUGH and shares.count(best) == 1 else None
