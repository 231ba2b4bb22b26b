"""Whom a reminder is for, from the words that name them."""

import re
from collections.abc import Sequence
from datetime import timedelta

from function_calls.context import CallContext
from services.chat import Person
from services.history.service import HistoryService
from services.reminders.model import EVERYONE

_EVERYONE_WORDS = {"everyone", "everybody", "all", "us", "大家", "所有人", "全体", "@all", "我们"}
_LATELY = timedelta(minutes=10)  # so long is the answer to a question waited for
_MOST_LOOKED_AT = 200
_OWN_WORDS = {"me", "myself", "i", "我", "自己", "我自己"}
_BETWEEN = re.compile(r"\s*(?:,|、|，|&|\band\b|和|跟|与|及)\s*", re.IGNORECASE)


async def named_people(words: str | None, ctx: CallContext, history: HistoryService) -> tuple[Person, ...]:
    """Everyone, people mentioned in the message, or names as written; empty for the one who asks alone.

    Who is not mentioned in it may have been in the message before: "remind @Bob to eat" is asked "when?".
    """
    whole = (words or "").strip()
    mentioned = ctx.message.mentions
    if _unknown(whole, mentioned, ctx):
        mentioned = (*mentioned, *await _mentioned_before(ctx, history))
    known = _known(whole, mentioned, ctx)
    if known is not None:
        return _but_not_oneself((known,), ctx)
    people = [_known(name, mentioned, ctx) or Person(id=name, name=name) for name in _names(whole)]
    if any(each.id == EVERYONE for each in people):
        return (Person(id=EVERYONE, name=whole),)
    return _but_not_oneself(tuple({each.id: each for each in people}.values()), ctx)


async def _mentioned_before(ctx: CallContext, history: HistoryService) -> tuple[Person, ...]:
    """Whom the person who asks has mentioned here lately, the latest first."""
    lately = await history.since(ctx.chat, ctx.now - _LATELY, _MOST_LOOKED_AT)
    own = [message for message in reversed(lately) if message.sender.id == ctx.sender.id]
    return tuple(person for message in own for person in message.mentions)


def _unknown(words: str, mentioned: Sequence[Person], ctx: CallContext) -> list[str]:
    """The names in `words` that are nobody's as far as `mentioned` goes."""
    if _known(words, mentioned, ctx) is not None:
        return []
    return [name for name in _names(words) if _known(name, mentioned, ctx) is None]


def _names(words: str) -> list[str]:
    return [name.strip().lstrip("@").strip() for name in _BETWEEN.split(words) if name.strip("@ ")]


def _known(name: str, mentioned: Sequence[Person], ctx: CallContext) -> Person | None:
    """Somebody who needs no guessing: everyone, oneself, who is mentioned (also with "and" in the name)."""
    bare = name.strip().lstrip("@").strip()
    if bare.lower() in _EVERYONE_WORDS:
        return Person(id=EVERYONE, name=bare)
    if bare.lower() in {*_OWN_WORDS, ctx.sender.name.lower()}:
        return ctx.sender
    return next((each for each in mentioned if _as_one_word(each.name) == _as_one_word(bare)), None)


def _as_one_word(name: str) -> str:
    """How a name of several words is read without a model: "Bob Smith" as "bob_smith"."""
    return "_".join(name.lower().split())


def _but_not_oneself(people: tuple[Person, ...], ctx: CallContext) -> tuple[Person, ...]:
    """A reminder for nobody but the one who asks names nobody."""
    return () if all(each.id == ctx.sender.id for each in people) else people
