"""Whom a reminder is for, from the words that name them."""

import re

from function_calls.context import CallContext
from services.chat import Person
from services.reminders.model import EVERYONE

_EVERYONE_WORDS = {"everyone", "everybody", "all", "us", "大家", "所有人", "全体", "@all", "我们"}
_OWN_WORDS = {"me", "myself", "i", "我", "自己", "我自己"}
_BETWEEN = re.compile(r"\s*(?:,|、|，|&|\band\b|和|跟|与|及)\s*", re.IGNORECASE)


def named_people(words: str | None, ctx: CallContext) -> tuple[Person, ...]:
    """Everyone, people mentioned in the message, or names as written; empty for the one who asks alone."""
    whole = (words or "").strip()
    known = _known(whole, ctx)
    if known is not None:
        return _but_not_oneself((known,), ctx)
    people = [_person(name, ctx) for name in _BETWEEN.split(whole) if name.strip("@ ")]
    if any(each.id == EVERYONE for each in people):
        return (Person(id=EVERYONE, name=whole),)
    return _but_not_oneself(tuple({each.id: each for each in people}.values()), ctx)


def _person(name: str, ctx: CallContext) -> Person:
    bare = name.strip().lstrip("@").strip()
    return _known(bare, ctx) or Person(id=bare, name=bare)


def _known(name: str, ctx: CallContext) -> Person | None:
    """Somebody who needs no guessing: everyone, oneself, who is mentioned (also with "and" in the name)."""
    bare = name.strip().lstrip("@").strip()
    if bare.lower() in _EVERYONE_WORDS:
        return Person(id=EVERYONE, name=bare)
    if bare.lower() in {*_OWN_WORDS, ctx.sender.name.lower()}:
        return ctx.sender
    return next((each for each in ctx.message.mentions if each.name.lower() == bare.lower()), None)


def _but_not_oneself(people: tuple[Person, ...], ctx: CallContext) -> tuple[Person, ...]:
    """A reminder for nobody but the one who asks names nobody."""
    return () if all(each.id == ctx.sender.id for each in people) else people
