"""Resolve references to reminders: an id, a number in the list, words, or all."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from services.kernel.errors import RequestRefused
from services.kernel.text import fold_accents
from services.reminders.lookup.due_words import find_by_rule, find_due
from services.reminders.model import Reminder, ReminderState, row_key
from services.time_expressions import ReadTimes

ALL = frozenset({"all", "everything", "*", "全部", "所有", "所有的", "全部的"})
_ALL_OF = re.compile(
    r"(?:all|everything)(?: (?:of|my|the|our|reminders?|for|on|from|about|due|at))* (?P<after>.+)"
    r"|(?P<before>.+?)的?(?:所有|全部)的?|(?:所有|全部)的?(?P<rest>.+)",
    re.IGNORECASE,
)
_ALL_EXCEPT = re.compile(
    r"(?:all|everything)(?: (?:of|my|the|our|reminders?))* "
    r"(?:except|but|apart from|other than|besides)(?: for)? (?P<exceptions>.+)"
    r"|(?:除了(?P<besides>.+?)(?:以外|之外|外)?|除(?P<apart>.+?)(?:以外|之外|外))的?(?:所有|全部)?的?",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:,|，|、|\band\b|和|跟|以及)\s*")
_ARTICLE = re.compile(r"^(?:the|my|our)\s+", re.IGNORECASE)
_NUMBER = re.compile(r"[#＃]?\s*(\d{1,4})\.?")
LAST = frozenset({"last", "the last", "last one", "the last one", "latest", "最后", "最后一个", "最后一条", "最后那个"})
_NEXT = frozenset(
    {"next", "the next", "next one", "the next one", "下一个", "下一条", "下个", "próximo", "el próximo", "siguiente"}
    | {"接下来", "最近一个", "紧接着的", "next up", "el siguiente"}
)
# "The daily report" may refer to a daily reminder whose content is "report".
_REPEATING = re.compile(
    r"\b(?:daily|weekly|monthly|yearly|annual|regular|recurring|repeating"
    r"|every ?\w+?day(?:'s)?|every (?:week|month|year))\b\s*"
    r"|(?:每(?:[天日晚早月年]|个?(?:星期|礼拜|周|週)[一二三四五六日天]?)|天天|定期)的?",
    re.IGNORECASE,
)
_KIND = re.compile(
    r"\b(?:repeat(?:s|ing)?|recurring|se repiten?|repetid[oa]s?|recurrentes?)\b|重[复複]|循[环環]"
    r"|(?P<paused>\b(?:paused|on hold|pausad[oa]s?|en pausa|pausas)\b|[暂暫]停)"
)
"""A word for reminders that repeat, or for those that are paused."""
_OWNED = re.compile(r"(?P<name>.+?)(?:(?:['’]s)?\s+|的)(?P<rest>.+)")
_POSSESSIVE = re.compile(r"['’]s?$|的$")
_CHINESE = re.compile("[\u3400-\u9fff]{2,4}")
_MAX_SPELLED_RATIO = 4
_MIN_DIGITS_OF_NAME = 3
_SOON = timedelta(hours=3)
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*")


def candidates_of(refusal: RequestRefused) -> tuple[Reminder, ...]:
    """Return the reminders of which a refused reference may mean one; empty for another refusal."""
    candidates = refusal.fields.get("candidates")
    return candidates if isinstance(candidates, tuple) else ()


def find_reminder(
    reference: str,
    here: Sequence[Reminder],
    shown: Sequence[str],
    *,
    times: ReadTimes,
    now: datetime | None = None,
) -> Reminder:
    """Return the reminder of `here` that `reference` names.

    `here` is in the order of the next fires. A number is a position in `shown`, the ids of the list shown last and of
    reminders created since. "The last one" is a reminder created after that list, else the last of the list. Letters
    are the beginning of an id, words of the content, or, with `now` (timezone-aware), a due time that `times` reads;
    or else the name of a person: those that remind nobody else, or all that remind this person.

    Raises:
        RequestRefused: `no_reminders`, `reminder_unknown(reference, candidates)`,
            `reminder_ambiguous(reference, candidates)`.
    """
    if not here:
        raise RequestRefused("no_reminders")
    found = _without_snoozed(_resolve(reference, here, shown, now, times))
    if len(found) > 1:
        raise RequestRefused("reminder_ambiguous", reference=reference, candidates=tuple(found))
    return found[0]


def means_all(reference: str) -> bool:
    """Return whether `reference` is a word for all reminders."""
    return reference.strip().casefold() in ALL


def means_next(reference: str) -> bool:
    """Return whether `reference` means the reminder that comes next."""
    return reference.strip().casefold() in _NEXT


def find_kind(words: str) -> str:
    """Return the words for reminders that repeat, or are paused, among `words`; empty for none."""
    found = _KIND.search(words)
    return "" if found is None else found[0]


def _find_by_kind(wanted: str, here: Sequence[Reminder]) -> list[Reminder]:
    kind = _KIND.fullmatch(wanted)
    if kind is None:
        return []
    if kind["paused"]:
        return [each for each in here if each.state is ReminderState.PAUSED]
    return [each for each in here if each.schedule.rule]


def all_of(reference: str) -> str:
    """Return the words that restrict "all": "tomorrow" in "all for tomorrow", 明天 in 明天的所有; empty without any."""
    found = _ALL_OF.fullmatch(reference.strip())
    return "" if found is None else (found["after"] or found["before"] or found["rest"]).strip()


def all_except(reference: str) -> tuple[str, ...]:
    """Return the exceptions in "all except the dentist" or 除了看牙; else an empty tuple."""
    found = _ALL_EXCEPT.fullmatch(reference.strip())
    parts = _AND.split(found["exceptions"] or found["besides"] or found["apart"]) if found else []
    return tuple(_ARTICLE.sub("", part.strip()) for part in parts if part.strip())


def all_others(
    exceptions: Sequence[str], here: Sequence[Reminder], shown: Sequence[str], *, now: datetime, times: ReadTimes
) -> tuple[Reminder, ...]:
    """Return the reminders of `here` that no reference in `exceptions` matches; see `find_reminder` for the arguments.

    Raises:
        RequestRefused: `reminder_unknown(reference, candidates)`: an exception matches no reminder.
    """
    excluded = [reminder for reference in exceptions for reminder in _resolve(reference, here, shown, now, times)]
    return tuple(reminder for reminder in here if reminder not in excluded)


def match_all(words: str, here: Sequence[Reminder], now: datetime, times: ReadTimes) -> tuple[Reminder, ...]:
    """Return the reminders of `here` for "all" with `words`; see `match_reminders`.

    Recurring reminders are included only if no others match: "all of tomorrow's" does not mean the daily ones.
    """
    fits = match_reminders(words, here, now, times)
    return tuple(reminder for reminder in fits if not reminder.schedule.rule) or fits


def match_reminders(words: str, here: Sequence[Reminder], now: datetime, times: ReadTimes) -> tuple[Reminder, ...]:
    """Return the reminders of `here` that match `words` by due time ("today", 明天), content, rule or recipient.

    Words may be those of a person ("Ben's tomorrow"); without words return all. `now` is timezone-aware; `times` reads
    the times.
    """
    wanted = words.strip()
    owned = _OWNED.fullmatch(wanted)
    own = [] if owned is None else _find_by_person(owned["name"], here)
    if owned is not None and own:
        return match_reminders(owned["rest"], own, now, times)
    of_person = [reminder for reminder in here if _reminds(reminder, wanted)]  # "Jan" is no month then
    due = None if of_person else find_due(wanted, here, now, times)
    if due is not None:
        return tuple(_with_words(*due))
    found = [reminder for reminder in here if is_in(reminder.content, wanted)]
    if not found and wanted:
        found = [*find_by_rule(wanted, here, now, times), *_find_by_kind(wanted, here)]
    return tuple(found or of_person)


def _find_by_person(name: str, here: Sequence[Reminder]) -> list[Reminder]:
    """Return the reminders for nobody but the person of this name, or else all that remind this person."""
    bare = _POSSESSIVE.sub("", name)
    found = [reminder for reminder in here if _reminds(reminder, bare)]
    return [reminder for reminder in found if len(reminder.targets) <= 1] or found


def _find_by_owner(wanted: str, here: Sequence[Reminder], now: datetime | None, times: ReadTimes) -> list[Reminder]:
    """Return the reminders of a person that match the words behind the name: "Nell's Saturday", "Nell's lenses"."""
    found = _OWNED.fullmatch(wanted)
    if found is None:
        return []
    own = _find_by_person(found["name"], here)
    return _find_by_words(found["rest"].casefold(), own) or _find_by_time(found["rest"], own, now, times)


def _reminds(reminder: Reminder, name: str) -> bool:
    wanted = name.lstrip("@").casefold()
    return any(person.name.lstrip("@").casefold() == wanted for person in reminder.recipients)


def _resolve(
    reference: str, here: Sequence[Reminder], shown: Sequence[str], now: datetime | None, times: ReadTimes
) -> list[Reminder]:
    """Return the matches of `reference` by the first kind of reference that has any."""
    wanted = reference.strip().strip("[]【】\"“”'").strip()
    number = _NUMBER.fullmatch(wanted)
    found = _find_by_number(int(number[1]), here, shown) if number else []
    if not found and (number is None or len(number[1]) >= _MIN_DIGITS_OF_NAME):
        found = _find_by_words(wanted.casefold(), here)
    found = found or _find_by_order(wanted.casefold(), here, shown) or _find_by_time(wanted, here, now, times)
    found = found or _find_recurring(wanted.casefold(), here, now, times) or _find_by_characters(wanted, here)
    found = found or _find_by_kind(wanted, here) or _find_by_person(wanted, here)
    found = found or _find_by_owner(wanted, here, now, times)
    if not found:
        raise RequestRefused("reminder_unknown", reference=reference, candidates=tuple(here))
    return found


def _without_snoozed(found: list[Reminder]) -> list[Reminder]:
    """Return `found` without repetitions of its one recurring reminder that a snooze has set."""
    repeating = [each for each in found if each.schedule.rule is not None]
    if len(repeating) != 1:
        return found
    others = [each for each in found if each not in repeating]
    return repeating if all(_is_snoozed(each, repeating[0]) for each in others) else found


def _is_snoozed(reminder: Reminder, original: Reminder) -> bool:
    """Return whether `reminder` was set by a snooze of `original`: the same text, due soon after it was created."""
    is_same = reminder.content == original.content and reminder.created_at > original.created_at
    return is_same and bool(reminder.next_fires) and reminder.next_fires[0] - reminder.created_at <= _SOON


def is_moved_from(reminder: Reminder, series: Reminder) -> bool:
    """Return whether a reminder is an occurrence of `series` at another time, made by `reschedule_occurrence`."""
    rule = series.schedule.rule
    is_once = reminder.schedule.rule is None and reminder.created_at >= series.created_at
    is_same = (reminder.content, reminder.creator.id) == (series.content, series.creator.id)
    return rule is not None and bool(rule.except_walls) and is_once and is_same


def _find_by_number(number: int, here: Sequence[Reminder], shown: Sequence[str]) -> list[Reminder]:
    places = shown or [reminder.id for reminder in here]
    if not 1 <= number <= len(places):
        return []
    return [reminder for reminder in here if reminder.id == places[number - 1]]


def _find_by_words(wanted: str, here: Sequence[Reminder]) -> list[Reminder]:
    exact = [reminder for reminder in here if reminder.id == wanted or reminder.content.casefold() == wanted]
    if len(exact) == 1 or not wanted:
        return exact
    by_id = [reminder for reminder in here if reminder.id.startswith(wanted)] if _IDENTIFIER.fullmatch(wanted) else []
    by_words = [reminder for reminder in here if reminder not in by_id and is_in(reminder.content, wanted)]
    return by_id + by_words


def _find_recurring(wanted: str, here: Sequence[Reminder], now: datetime | None, times: ReadTimes) -> list[Reminder]:
    """Return recurring reminders by their recurrence, and by words of the content: "the daily door reminder"."""
    recurring = [reminder for reminder in here if reminder.schedule.rule]
    rest = _REPEATING.sub("", wanted).strip()
    has_rest = rest not in {"", wanted}
    found = has_rest and (_find_by_words(rest, recurring) or _find_by_time(rest, recurring, now, times))
    return found or ([] if now is None else find_by_rule(wanted, recurring, now, times))


def _find_by_characters(wanted: str, here: Sequence[Reminder]) -> list[Reminder]:
    """Return reminders whose short content has all characters of a Chinese name separately: 还书 in 把书还给图书馆."""
    if not _CHINESE.fullmatch(wanted):
        return []
    short = [reminder for reminder in here if len(reminder.content) <= _MAX_SPELLED_RATIO * len(wanted)]
    return [reminder for reminder in short if set(wanted) <= set(reminder.content)]


def _find_by_order(wanted: str, here: Sequence[Reminder], shown: Sequence[str]) -> list[Reminder]:
    if wanted in _NEXT:
        return list(here[:1])
    if wanted not in LAST:
        return []
    newest = max(here, key=lambda reminder: (reminder.created_at, row_key(reminder.id) or 0))  # several of one message
    listed = [reminder for place in shown for reminder in here if reminder.id == place]
    return listed[-1:] if newest in listed else [newest]


def _find_by_time(words: str, here: Sequence[Reminder], now: datetime | None, times: ReadTimes) -> list[Reminder]:
    due = None if now is None else find_due(words, here, now, times)
    return [] if due is None else _with_words(*due)


def _with_words(found: Sequence[Reminder], words: str) -> list[Reminder]:
    return [reminder for reminder in found if is_in(reminder.content, words)]


def is_in(content: str, wanted: str) -> bool:
    """Return whether the words stand in the content in any case, together or apart; Latin words as whole words.

    Accents do not matter, as people often leave them out. A singular matches a plural in the content: "the pill
    reminder" is to take pills.
    """
    folded, parts = fold_accents(content), fold_accents(wanted).split()
    words = (rf"(?<![a-z0-9]){re.escape(part)}s?(?![a-z0-9])" if part.isascii() else re.escape(part) for part in parts)
    return all(re.search(word, folded) for word in words)
