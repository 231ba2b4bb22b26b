"""Resolve the people that a reminder is for from the words that name them."""

import re
from collections.abc import Sequence
from datetime import timedelta
from difflib import get_close_matches

from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage, Person
from services.kernel.errors import RequestRefused
from services.people.member_names import is_unresolved, is_username_only, matching, unresolved, with_account
from services.reminders.model import EVERYONE, Reminder
from services.reminders.service import ReminderService

_EVERYONE_WORDS = {"everyone", "everybody", "all", "us", "大家", "所有人", "全体", "@all", "我们", "todos", "nosotros"}
_EVERYONE_LONG, _TYPO = ("everyone", "everybody"), 0.9
"""Words in which a missing or doubled letter is a typing error, and how alike a word must be."""
_ALL_BUT = "everyone except "
_LATELY = timedelta(minutes=10)  # how long an answer to a question is awaited
_MOST_LOOKED_AT = 200
_MOST_READ = 2000
_MOST_NAMED = 5
_OWN_WORDS = {"me", "myself", "i", "我", "自己", "我自己", "mí"}
_BETWEEN = re.compile(r"\s*(?:,|、|，|&|\+|\band\b|和|跟|与|及)\s*|\s+y(?: a| para)?\s+", re.IGNORECASE)


async def named_people(words: str | None, ctx: CallContext, history: HistoryService) -> tuple[Person, ...]:
    """Return everyone, people mentioned in the message or members of the chat; empty for the asker alone.

    People may also be mentioned in the message before: "remind @Bob to eat" is asked "when?". A name that matches
    no member is kept as written, and notifies nobody.

    Raises:
        RequestRefused: `person_ambiguous(name, people)`.
    """
    whole = (words or "").strip()
    if whole.startswith(_ALL_BUT):
        spared = await named_people(whole.removeprefix(_ALL_BUT), ctx, history) or (ctx.sender,)
        return await all_but(spared, ctx, history) or (Person(id=EVERYONE, name="everyone"),)
    mentioned = ctx.message.mentions
    if _unknown(whole, mentioned, ctx):
        mentioned = (*mentioned, *await _mentioned_before(ctx, history))
    known = _certain_person(whole, mentioned, ctx)
    if known is not None:
        return _without_asker((await _account(known, ctx, history),), ctx)
    people = [await _person(name, mentioned, ctx, history) for name in _names(whole)]
    if any(each.id == EVERYONE for each in people):
        return (Person(id=EVERYONE, name=whole),)
    return _without_asker(tuple({each.id: each for each in people}.values()), ctx)


async def all_but(spared: Sequence[Person], ctx: CallContext, history: HistoryService) -> tuple[Person, ...]:
    """Return the people of the chat without `spared`; empty where no other is known by name."""
    members, known = await _people_of_chat(ctx, history)
    out = {each.id for each in spared} | {each.name.casefold() for each in spared}
    people = {each.id: each for each in members or known if not each.is_bot}
    return tuple(each for each in people.values() if each.id not in out and each.name.casefold() not in out)


async def changed_people(
    words: str | None, old: Reminder, ctx: CallContext, history: HistoryService
) -> tuple[Person, ...] | None:
    """Return whom `old` reminds once `words` hold: "+Ann" adds, "-Ann" leaves out, "Ann" replaces; None for no words.

    Raises:
        RequestRefused: `person_ambiguous(name, people)`; `for_everyone(id)`: no others of the chat are known;
            `nobody_left(id)`.
    """
    if not words or not words.strip("+- "):
        return None
    sign = words.strip()[0]
    named = await named_people(words.strip().lstrip("+-"), ctx, history) or (ctx.sender,)
    before = old.targets or (old.creator,)
    if sign == "+":
        added = tuple({each.id: each for each in (*before, *named)}.values())
        return next(((each,) for each in added if each.id == EVERYONE), added)
    if sign != "-":
        return named
    if any(each.id == EVERYONE for each in before):
        others = await all_but(named, ctx, history)
        if not others:
            raise RequestRefused("for_everyone", id=old.id)
        return others
    gone = {each.id for each in named} | {each.name.casefold() for each in named}
    left = tuple(each for each in before if each.id not in gone and each.name.casefold() not in gone)
    if not left:
        raise RequestRefused("nobody_left", id=old.id)
    return left


async def _person(name: str, mentioned: Sequence[Person], ctx: CallContext, history: HistoryService) -> Person:
    """Resolve `name` to a person.

    Raises:
        RequestRefused: `person_ambiguous(name, people)`.
    """
    known = _certain_person(name, mentioned, ctx)
    return await _member(name, ctx, history) if known is None else await _account(known, ctx, history)


async def _account(person: Person, ctx: CallContext, history: HistoryService) -> Person:
    """Return the member with the user name of `person`, where the platform sent only that name."""
    if not is_username_only(person):
        return person
    return with_account(person, (message.sender for message in await _recent_messages(ctx, history)))


async def _recent_messages(ctx: CallContext, history: HistoryService) -> Sequence[ChatMessage]:
    return await history.recent(replace(ctx.chat, thread_id=None), _MOST_READ)


async def _member(name: str, ctx: CallContext, history: HistoryService) -> Person:
    """Return the member of the chat who is called `name`; present members take precedence over past ones.

    Raises:
        RequestRefused: `person_ambiguous(name, people)`.
    """
    found, bare = _called(name, *await _people_of_chat(ctx, history)), name.lstrip("@").strip()
    if len(found) > 1:
        people = say(ctx.language, "rule.joint").join(f"{each.name} ({each.id})" for each in found[:_MOST_NAMED])
        raise RequestRefused("person_ambiguous", name=bare, people=people)
    return found[0] if found else unresolved(f"@{bare}" if name.startswith("@") else bare)


async def _people_of_chat(ctx: CallContext, history: HistoryService) -> tuple[Sequence[Person], Sequence[Person]]:
    """Return the members of the chat, and everybody who is known there: from its messages, and the members."""
    members = await ctx.members()
    written = await _recent_messages(ctx, history)
    return members, [*(person for message in written for person in (*message.mentions, message.sender)), *members]


def _called(name: str, members: Sequence[Person], known: Sequence[Person]) -> tuple[Person, ...]:
    """Return who of `known` is called `name`; of several, those who are `members`, if any."""
    found = matching(name, known)
    if len(found) > 1:
        here = {person.id for person in members}
        found = tuple(person for person in found if person.id in here) or found
    return found


async def names_of_sender(ctx: CallContext, reminders: ReminderService, history: HistoryService) -> frozenset[str]:
    """Return the ids of name-only targets of this chat's reminders that stand for the sender alone."""
    targets = [each for reminder in await reminders.open_in(ctx.chat) for each in reminder.targets]
    names = {each.id: each.name for each in targets if is_unresolved(each)}
    if not names:
        return frozenset()
    members, known = await _people_of_chat(ctx, history)
    found = {key: _called(name, members, known) for key, name in names.items()}
    return frozenset(key for key, people in found.items() if [each.id for each in people] == [ctx.sender.id])


async def _mentioned_before(ctx: CallContext, history: HistoryService) -> tuple[Person, ...]:
    """Return the people that the asker has mentioned here lately, the latest first."""
    lately = await history.since(ctx.chat, ctx.now - _LATELY, _MOST_LOOKED_AT)
    own = [message for message in reversed(lately) if message.sender.id == ctx.sender.id]
    return tuple(person for message in own for person in message.mentions)


def _unknown(words: str, mentioned: Sequence[Person], ctx: CallContext) -> list[str]:
    """Return the names in `words` that are not in `mentioned`."""
    if _certain_person(words, mentioned, ctx) is not None:
        return []
    return [name for name in _names(words) if _certain_person(name, mentioned, ctx) is None]


def _names(words: str) -> list[str]:
    return [name.strip() for name in _BETWEEN.split(words) if name.strip("@ ")]


def _certain_person(name: str, mentioned: Sequence[Person], ctx: CallContext) -> Person | None:
    """Resolve a certain person: everyone, oneself, or a mentioned one (also with "and" in the name)."""
    bare = name.strip().lstrip("@").strip()
    if bare.lower() in _EVERYONE_WORDS or get_close_matches(bare.lower(), _EVERYONE_LONG, cutoff=_TYPO):
        return Person(id=EVERYONE, name=bare)
    if bare.lower() in {*_OWN_WORDS, ctx.sender.name.lower()}:
        return ctx.sender
    return next((each for each in mentioned if _as_one_word(each.name) == _as_one_word(bare)), None)


def _as_one_word(name: str) -> str:
    """Return a name of several words as the offline interpreter parses it: "Bob Smith" as "bob_smith"."""
    return "_".join(name.lower().split())


def _without_asker(people: tuple[Person, ...], ctx: CallContext) -> tuple[Person, ...]:
    """Return no people where the only one is the asker."""
    return () if all(each.id == ctx.sender.id for each in people) else people
