"""Resolve the people that a reminder is for from the words that name them, and change it for one of them."""

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from difflib import get_close_matches

from msgspec.structs import replace

from function_calls.functions.reminders.answers import delete_step
from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage, Person
from services.kernel.errors import RequestRefused
from services.people.member_names import (
    find_people,
    is_unresolved,
    is_username_only,
    resolve_account,
    unresolved_person,
)
from services.reminders.lookup.finder import is_for_everyone
from services.reminders.model import EVERYONE, Reminder
from services.reminders.service import ReminderService

_EVERYONE_WORDS = {"everyone", "everybody", "all", "us", "大家", "所有人", "全体", "@all", "我们", "todos", "nosotros"}
_EVERYONE_LONG, _TYPO_RATIO = ("everyone", "everybody"), 0.85
"""Words that are recognized with a typing error, and the difflib ratio that a word needs."""
_ALL_BUT = "everyone except "
_ANSWERED_WITHIN = timedelta(minutes=10)
_MAX_EXAMINED = 200
_MAX_READ = 2000
_MAX_NAMED = 5
_MAX_SEARCHED = 50
"""The most names that are searched in the chat; each takes a query of its history. Others are kept as written."""
_OWN_WORDS = {"me", "myself", "i", "我", "自己", "我自己", "mí"}
_SENDER_PRONOUNS = {"es": {"mi", "yo"}}
"""Pronouns for the sender that are names in other languages."""
_BETWEEN = re.compile(
    r"\s*(?:,|、|，|&|\+|\b(?:and|n)\b|还有|還有|以及|和|跟|与|及|(?<=我)同)\s*|\s+y(?: a| para)?\s+", re.IGNORECASE
)


async def resolve_people(words: str | None, ctx: CallContext, history: HistoryService) -> tuple[Person, ...]:
    """Resolve names to everyone, mentioned people or members of the chat; empty for the sender alone.

    Mentions in the sender's messages of the last minutes count too, because the request may have been "remind @Bob to
    eat" before a question. A name that matches no member is kept as written; nobody is notified then.

    Raises:
        RequestRefused: `person_ambiguous(name, people)`.
    """
    whole = (words or "").strip()
    if whole.startswith(_ALL_BUT):
        excluded = await resolve_people(whole.removeprefix(_ALL_BUT), ctx, history) or (ctx.sender,)
        return await everyone_except(excluded, ctx, history) or (Person(id=EVERYONE, name="everyone"),)
    mentioned = ctx.message.mentions
    if _unknown_names(whole, mentioned, ctx):
        mentioned = (*mentioned, *await _mentioned_before(ctx, history))
    known = _certain_person(whole, mentioned, ctx)
    if known is not None:
        return _without_asker((await _account(known, ctx, history),), ctx)
    names = list(dict.fromkeys(_names(whole)))
    people = [await _person(name, mentioned, ctx, history) for name in names[:_MAX_SEARCHED]]
    people += map(unresolved_person, names[_MAX_SEARCHED:])
    if any(person.id == EVERYONE for person in people):
        return (Person(id=EVERYONE, name=whole),)
    return _without_asker(tuple({person.id: person for person in people}.values()), ctx)


async def everyone_except(excluded: Sequence[Person], ctx: CallContext, history: HistoryService) -> tuple[Person, ...]:
    """Return the people of the chat without `excluded`; empty if no other person is known by name."""
    members, known = await _people_of_chat(ctx, history)
    out = {person.id for person in excluded} | {person.name.casefold() for person in excluded}
    people = {person.id: person for person in members or known if not person.is_bot}
    return tuple(person for person in people.values() if person.id not in out and person.name.casefold() not in out)


async def change_targets(
    words: str | None, old: Reminder, ctx: CallContext, history: HistoryService
) -> tuple[Person, ...] | None:
    """Return the new targets of `old`: "+Ann" adds her, "-Ann" removes her, "Ann" replaces all; None without words.

    Raises:
        RequestRefused: `person_ambiguous(name, people)`; `for_everyone(id)`: the other people of the chat are unknown;
            `nobody_left(id)`.
    """
    if not words or not words.strip("+- "):
        return None
    sign = words.strip()[0]
    named = await resolve_people(words.strip().lstrip("+-"), ctx, history) or (ctx.sender,)
    before = old.recipients
    if sign == "+":
        added = tuple({person.id: person for person in (*before, *named)}.values())
        return next(((person,) for person in added if person.id == EVERYONE), added)
    if sign != "-":
        return named
    if any(person.id == EVERYONE for person in before):
        others = await everyone_except(named, ctx, history)
        if not others:
            raise RequestRefused("for_everyone", id=old.id)
        return others
    gone = {person.id for person in named} | {person.name.casefold() for person in named}
    left = tuple(person for person in before if person.id not in gone and person.name.casefold() not in gone)
    if not left:
        raise RequestRefused("nobody_left", id=old.id)
    return left


async def change_own_copy(
    old: Reminder, change: Callable[[Reminder], Awaitable[ToolResult]], ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Apply `change` to a copy of `old` for the sender alone, whom `old` reminds no longer unless it is for everyone.

    The copy is deleted again if nothing is changed.
    """
    own = await reminders.copy_for(ctx.chat, ctx.sender, old.id, f"{ctx.call_id}/own")
    result = None
    try:
        result = await change(own)
    finally:
        if result is None or (not result.receipts and result.ending != "question"):
            await reminders.delete(ctx.chat, ctx.sender, own.id)
    if not result.receipts and result.ending != "question":
        return result
    left = old if is_for_everyone(old) else await reminders.leave(ctx.chat, ctx.sender, old.id)
    who = date_format.targets(ctx.language, left.recipients)
    join = UndoStep(name="reminder_state", arguments={"action": "join", "reminder_id": old.id})
    receipts = [Receipt(action="set", subject=own.id, name=own.content, undo=delete_step(own))]
    if left.targets != old.targets:
        receipts.append(Receipt(action="leave", subject="", name=old.content, undo=join))
    receipts += [replace(each, undo=None) if each.subject == own.id else each for each in result.receipts]
    text = "\n".join([result.text, say(ctx.language, "reminder.stays_for", id=old.id, who=who)])
    return replace(result, text=text, receipts=tuple(receipts))


async def _person(name: str, mentioned: Sequence[Person], ctx: CallContext, history: HistoryService) -> Person:
    """Resolve `name` to a person.

    Raises:
        RequestRefused: `person_ambiguous(name, people)`.
    """
    known = _certain_person(name, mentioned, ctx)
    return await _member(name, ctx, history) if known is None else await _account(known, ctx, history)


async def _account(person: Person, ctx: CallContext, history: HistoryService) -> Person:
    """Return the account with the user name of `person`, if the platform sent only that name."""
    if not is_username_only(person):
        return person
    return resolve_account(person, (message.sender for message in await _recent_messages(ctx, history)))


async def _recent_messages(ctx: CallContext, history: HistoryService) -> Sequence[ChatMessage]:
    return await history.recent(replace(ctx.chat, thread_id=None), _MAX_READ)


async def _member(name: str, ctx: CallContext, history: HistoryService) -> Person:
    """Return the member of the chat who is called `name`; present members take precedence over past ones.

    Raises:
        RequestRefused: `person_ambiguous(name, people)`.
    """
    found, bare = _people_called(name, *await _people_of_chat(ctx, history)), name.lstrip("@").strip()
    if len(found) > 1:
        people = date_format.join(ctx.language, (f"{person.name} ({person.id})" for person in found[:_MAX_NAMED]))
        raise RequestRefused("person_ambiguous", name=bare, people=people)
    return found[0] if found else unresolved_person(f"@{bare}" if name.startswith("@") else bare)


async def _people_of_chat(ctx: CallContext, history: HistoryService) -> tuple[Sequence[Person], Sequence[Person]]:
    """Return the members of the chat, and everybody known there: authors, mentioned people and members."""
    members = await ctx.members()
    written = await _recent_messages(ctx, history)
    return members, [*(person for message in written for person in (*message.mentions, message.sender)), *members]


def _people_called(name: str, members: Sequence[Person], known: Sequence[Person]) -> tuple[Person, ...]:
    """Return the people of `known` with the name `name`; if several, only the `members` among them, if any."""
    found = find_people(name, known)
    if len(found) > 1:
        here = {person.id for person in members}
        found = tuple(person for person in found if person.id in here) or found
    return found


async def names_of_sender(ctx: CallContext, reminders: ReminderService, history: HistoryService) -> frozenset[str]:
    """Return the ids of targets without an account, in this chat's reminders, whose name matches the sender only."""
    targets = [person for reminder in await reminders.open_in(ctx.chat) for person in reminder.targets]
    names = {person.id: person.name for person in targets if is_unresolved(person)}
    if not names:
        return frozenset()
    members, known = await _people_of_chat(ctx, history)
    found = {key: _people_called(name, members, known) for key, name in names.items()}
    return frozenset(key for key, people in found.items() if [person.id for person in people] == [ctx.sender.id])


async def _mentioned_before(ctx: CallContext, history: HistoryService) -> tuple[Person, ...]:
    """Return the people mentioned in the sender's messages of the last minutes, latest first."""
    lately = await history.since(ctx.chat, ctx.now - _ANSWERED_WITHIN, _MAX_EXAMINED)
    own = [message for message in reversed(lately) if message.sender.id == ctx.sender.id]
    return tuple(person for message in own for person in message.mentions)


def _unknown_names(words: str, mentioned: Sequence[Person], ctx: CallContext) -> list[str]:
    """Return the names in `words` that are not in `mentioned`."""
    if _certain_person(words, mentioned, ctx) is not None:
        return []
    return [name for name in _names(words) if _certain_person(name, mentioned, ctx) is None]


def _names(words: str) -> list[str]:
    # One space for several, because a search through a run of spaces takes quadratic time.
    return [name.strip() for name in _BETWEEN.split(" ".join(words.split())) if name.strip("@ ")]


def _certain_person(name: str, mentioned: Sequence[Person], ctx: CallContext) -> Person | None:
    """Resolve names that need no search: everyone, the sender, or a mentioned person (even with "and" in the name)."""
    bare = name.strip().lstrip("@").strip()
    if bare.lower() in _EVERYONE_WORDS or get_close_matches(bare.lower(), _EVERYONE_LONG, cutoff=_TYPO_RATIO):
        return Person(id=EVERYONE, name=bare)
    if bare.lower() in {*_OWN_WORDS, *_SENDER_PRONOUNS.get(ctx.language, ()), ctx.sender.name.lower()}:
        return ctx.sender
    return next((person for person in mentioned if _as_one_word(person.name) == _as_one_word(bare)), None)


def _as_one_word(name: str) -> str:
    """Return a name of several words as the offline interpreter parses it: "Bob Smith" as "bob_smith"."""
    return "_".join(name.lower().split())


def _without_asker(people: tuple[Person, ...], ctx: CallContext) -> tuple[Person, ...]:
    """Return `people`, or an empty tuple if the sender is the only one."""
    return () if all(person.id == ctx.sender.id for person in people) else people
