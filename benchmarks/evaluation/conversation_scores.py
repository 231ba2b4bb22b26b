"""Score messages of conversations by comparing the changes of reminders with the expected ones."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from benchmarks.evaluation.conversation_cases import Alternative
from benchmarks.evaluation.expected_times import MAX_COMPARED, TOLERANCE, ReminderState, is_expected_time, parse_local

Verdict = Literal["right", "acceptable", "wrong-harmless", "wrong-harmful"]
VERDICTS: tuple[Verdict, ...] = ("right", "acceptable", "wrong-harmless", "wrong-harmful")
_ACTIONS = frozenset({"set", "change", "delete", "pause", "resume", "done", "undo"})
_QUESTION = re.compile(r"[?？]|\bwhich\b|哪[个個一]", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:can ?not|can['’]t|won['’]t|not|no|nothing|nobody|none|only|belongs|unable|sorry|already|is over|too)\b"
    r"|n['’]t\b|不|没|沒|无|無|只有|已经过去|太",
    re.IGNORECASE,
)
_LEADING_WORDS = frozenset({"to", "the", "that", "about", "a", "an", "please", "pls", "reminder"})
_LEADING = re.compile(r"^(?:我要|我得|要|得|去|该|请|記得|记得)(?=\S{2})")
_TRAILING = re.compile(r"\s*(?:please|pls|thanks|thank you|吧|了|啊|呀|哦|啦|哈|喇|谢谢|謝謝)$")
_SYNONYMS = {"your": "my", "you": "i", "me": "i", "youve": "ive", "youre": "im", "dont": "not", "你": "我", "您": "我"}
_UNSPACED = re.compile(r"(?<=[\u3400-\u9fff]) (?=\S)|(?<=\S) (?=[\u3400-\u9fff])")
_FIRE_TOLERANCE = timedelta(seconds=2)


class Row(Struct, frozen=True, kw_only=True):
    """One message with its verdict; `has_changed` is True if it changed a reminder."""

    conversation: str
    place: int
    sender: str
    kind: str
    text: str
    note: str
    replies: tuple[str, ...]
    verdict: Verdict
    has_changed: bool


class ConversationScore(Struct, frozen=True):
    """The rows of one language and the shares of their verdicts (0 to 1)."""

    rows: tuple[Row, ...]

    @property
    def requests(self) -> tuple[Row, ...]:
        """Return the rows of messages for the bot."""
        return tuple(row for row in self.rows if row.kind != "chatter")

    @property
    def first_try(self) -> float:
        """Return the share of requests that were right."""
        return _compute_share(self.requests, {"right"})

    @property
    def acceptable(self) -> float:
        """Return the share of requests that were right or acceptable, such as a question of the bot."""
        return _compute_share(self.requests, {"right", "acceptable"})

    @property
    def harmful(self) -> float:
        """Return the share of messages after which a wrong change was made, or talk was answered."""
        return _compute_share(self.rows, {"wrong-harmful"})

    @property
    def talk_left_alone(self) -> float:
        """Return the share of talk that was neither answered nor acted on."""
        talk = [row for row in self.rows if row.kind == "chatter"]
        return sum(not row.replies and not row.has_changed for row in talk) / len(talk) if talk else 0.0

    def count_verdicts(self) -> Iterator[tuple[str, Counter[Verdict]]]:
        """Yield each kind of messages with the counts of its verdicts."""
        for kind in dict.fromkeys(row.kind for row in self.rows):
            yield kind, Counter(row.verdict for row in self.rows if row.kind == kind)


def _compute_share(rows: Sequence[Row], verdicts: set[str]) -> float:
    return sum(row.verdict in verdicts for row in rows) / len(rows) if rows else 0.0


def normalize(text: str, *, is_pattern: bool = False) -> str:
    """Return `text` without case, marks and particles at its ends, and with "my" for "your"."""
    folded = re.sub(r"['’`]", "", unicodedata.normalize("NFKC", text).casefold())
    letters = (each if _is_letter(each) or (is_pattern and each == "*") else " " for each in folded)
    words = (
        " ".join(_SYNONYMS.get(word, word) for word in "".join(letters).split()).replace("你", "我").replace("您", "我")
    )
    while True:
        head, _, rest = words.partition(" ")
        if head in _LEADING_WORDS and rest:
            words = rest
            continue
        cut = _LEADING.sub("", words)
        cut = _TRAILING.sub("", cut) or cut
        if cut == words:
            return _UNSPACED.sub("", words)
        words = cut


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_about(part: str | None, reminder: ReminderState) -> bool:
    return part is None or normalize(part) in normalize(reminder.content)


def _is_any_of(options: Sequence[str | None], content: str) -> bool:
    """Return whether `content` is one of `options`, of which None matches any."""
    given = normalize(content)
    return any(
        option is None
        or (fnmatchcase(given, normalize(option, is_pattern=True)) if "*" in option else normalize(option) == given)
        for option in options
    )


def _fold_names(people: Sequence[str]) -> set[str]:
    return {each.lstrip("@").casefold() for each in people}


class Difference:
    """The changes of reminders between two states; `now` is the time of the second one, local to `zone`."""

    def __init__(
        self, before: Sequence[ReminderState], after: Sequence[ReminderState], zone: str, now: datetime
    ) -> None:
        self.before, self.after, self.zone, self.now = before, after, zone, now
        old, new = ({each.id: each for each in state} for state in (before, after))
        self.added = [each for each in after if each.id not in old]
        self.removed = [each for each in before if each.id not in new and not self._has_fired(each)]
        self.changed = [
            (old[each.id], each) for each in after if each.id in old and self.is_changed(old[each.id], each)
        ]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def _has_fired(self, reminder: ReminderState) -> bool:
        coming = reminder.list_times(self.zone)
        return not reminder.paused and bool(coming) and coming[-1] <= self.now + _FIRE_TOLERANCE

    def is_changed(self, old: ReminderState, new: ReminderState) -> bool:
        """Return whether a reminder was changed, and not only fired."""
        fields = (normalize(old.content), _fold_names(old.people), old.paused, bool(old.rrule))
        if fields != (normalize(new.content), _fold_names(new.people), new.paused, bool(new.rrule)):
            return True
        old_times, now = (
            [each for each in state.list_times(self.zone) if each > self.now + _FIRE_TOLERANCE] for state in (old, new)
        )
        if not old_times or (old.paused and not now):  # a reminder that fired was not changed
            return False
        is_short = len(old_times) < MAX_COMPARED or len(now) < MAX_COMPARED
        if is_short and len(old_times[:MAX_COMPARED]) != len(now[:MAX_COMPARED]):
            return True
        pairs = zip(old_times[:MAX_COMPARED], now[:MAX_COMPARED], strict=False)
        return any(abs(one - other) > timedelta(seconds=1) for one, other in pairs)


class Comparison:
    """Compares the changes by a message with the actions of one alternative."""

    def __init__(self, difference: Difference, sender: str, history: Sequence[tuple[str, Difference]]) -> None:
        self._all, self._sender, self._history = difference, sender, history
        self._added, self._removed = list(difference.added), list(difference.removed)
        self._changed = list(difference.changed)
        self._done = 0

    def compare(self, wanted: Alternative) -> Literal["made", "already so", "other"]:
        """Return "made" if exactly the actions of `wanted` were done, "already so" if none of them was necessary."""
        are_met = [
            *(self._is_set(item) for item in wanted.get("set", ())),
            *(self._is_changed(item) for item in wanted.get("change", ())),
            *(self._is_deleted(part) for part in wanted.get("delete", ())),
        ]
        named = [part for part in wanted.get("delete", ()) if isinstance(part, str)]
        self._removed = [each for each in self._removed if not any(_is_about(part, each) for part in named)]
        for key, is_paused in (("pause", True), ("resume", False)):
            are_met += [self._is_paused(part, is_paused=is_paused) for part in wanted.get(key, ())]
        are_met += [self._is_finished(part) for part in wanted.get("done", ())]
        if wanted.get("undo"):
            are_met.append(self._is_undone())
        if not all(are_met) or self._added or self._removed or self._changed:
            return "other"
        return "made" if self._done else "already so"

    def _take(self, where: list[Any], one: object) -> bool:
        where.remove(one)
        self._done += 1
        return True

    def _is_wanted_reminder(self, item: dict[str, Any], reminder: ReminderState) -> bool:
        options = [item.get("content"), *item.get("contents", [])]
        is_until_done = reminder.nag or not item.get("until_done")
        is_content = is_until_done and _is_any_of(options, reminder.content) and self._is_for(item, reminder)
        return is_content and is_expected_time(item, reminder, self._all.zone, self._all.now)

    def _is_set(self, item: dict[str, Any]) -> bool:
        for reminder in self._added:
            if self._is_wanted_reminder(item, reminder):
                return self._take(self._added, reminder)
        for pair in self._changed:
            if item.get("content") is not None and self._is_wanted_reminder(item, pair[1]):
                return self._take(self._changed, pair)
        old = {each.id for each in self._all.before}
        return any(each.id in old and self._is_wanted_reminder(item, each) for each in self._all.after)

    def _is_for(self, item: dict[str, Any], reminder: ReminderState, before: ReminderState | None = None) -> bool:
        given = _fold_names(reminder.people)
        if "for_without" in item:
            name = item["for_without"].casefold()
            return f"-{name}" in given or (name not in given and "everyone" not in given)
        if "for_with" in item:
            return item["for_with"].casefold() in given or "everyone" in given
        wanted = item.get("for")
        if wanted is None:
            return before is None or given == _fold_names(before.people)
        if isinstance(wanted, str):
            return given == ({self._sender.casefold()} if wanted == "me" else {wanted.casefold()})
        return given == _fold_names(wanted)

    def _is_wanted_change(self, item: dict[str, Any], new: ReminderState, old: ReminderState | None) -> bool:
        if "new_content" in item:
            is_content = _is_any_of([item["new_content"], *item.get("new_contents", [])], new.content)
        else:
            is_content = old is None or normalize(old.content) == normalize(new.content)
        if not is_content or not self._is_for(item, new, old) or not self._has_times(item):
            return False
        if "at" in item or "rrule" in item:
            return is_expected_time(item, new, self._all.zone, self._all.now, old)
        if "includes" in item or "excludes" in item or old is None:
            return True
        return not self._all.is_changed(old, replace(new, content=old.content, people=old.people))

    def _has_times(self, item: dict[str, Any]) -> bool:
        """Return whether the next times of the reminders of `item` have those it includes and none it excludes."""
        zone = self._all.zone
        pool = [
            time for each in self._all.after if _is_about(item.get("content"), each) for time in each.list_times(zone)
        ]

        def is_in(text: str) -> bool:
            return any(abs(parse_local(text, zone) - each) <= TOLERANCE for each in pool)

        return all(map(is_in, item.get("includes", ()))) and not any(map(is_in, item.get("excludes", ())))

    def _is_changed(self, item: dict[str, Any]) -> bool:
        part = item.get("content")
        for old, new in self._changed:
            if _is_about(part, old) and self._is_wanted_change(item, new, old):
                self._take(self._changed, (old, new))
                if "includes" in item:  # one occurrence may have become a separate reminder
                    self._added = [each for each in self._added if not _is_about(part, each)]
                return True
        for new in self._added:  # snoozed after it fired, or created again
            removed_reminder = next((each for each in self._removed if _is_about(part, each)), None)
            if (_is_about(part, new) or "new_content" in item) and self._is_wanted_change(item, new, removed_reminder):
                if removed_reminder is not None:
                    self._removed.remove(removed_reminder)
                return self._take(self._added, new)
        is_so = any(_is_about(part, each) and self._is_wanted_change(item, each, None) for each in self._all.after)
        return is_so and not any(_is_about(part, old) for old, _ in self._changed)

    def _is_deleted(self, wanted: str | dict[str, str]) -> bool:
        part = wanted if isinstance(wanted, str) else wanted["content"]
        time = None if isinstance(wanted, str) else {"at": wanted["was_at"]}

        def is_match(reminder: ReminderState) -> bool:
            is_then = time is None or is_expected_time(time, reminder, self._all.zone, self._all.now)
            return _is_about(part, reminder) and is_then

        removed_reminder = next((each for each in self._removed if is_match(each)), None)
        return (
            self._take(self._removed, removed_reminder)
            if removed_reminder is not None
            else not any(map(is_match, self._all.after))
        )

    def _is_paused(self, part: str, *, is_paused: bool) -> bool:
        for old, new in self._changed:
            if _is_about(part, old) and new.paused == is_paused != old.paused:
                return self._take(self._changed, (old, new))
        return not any(_is_about(part, each) and each.paused != is_paused for each in self._all.after)

    def _is_finished(self, part: str) -> bool:
        removed_reminder = next((each for each in self._removed if _is_about(part, each)), None)
        if removed_reminder is not None:
            return self._take(self._removed, removed_reminder)
        for old, new in self._changed:
            if _is_about(part, old) and normalize(old.content) == normalize(new.content):
                return self._take(self._changed, (old, new))
        return not any(_is_about(part, each) and not each.rrule for each in self._all.after)

    def _is_undone(self) -> bool:
        own = [each for sender, each in self._history if sender.casefold() == self._sender.casefold()]
        return any(self._is_reversal(each) for each in (*own[-1:], *[each for _, each in self._history[-1:]]))

    def _is_reversal(self, last: Difference) -> bool:
        added, removed, changed = list(self._added), list(self._removed), list(self._changed)
        for made in last.added:
            removed_reminder = next((each for each in removed if each.id == made.id), None)
            if removed_reminder is None:
                return False
            removed.remove(removed_reminder)
        for lost in last.removed:
            added_reminder = next((each for each in added if normalize(each.content) == normalize(lost.content)), None)
            if added_reminder is None:
                return False
            added.remove(added_reminder)
        for old, new in last.changed:
            pair = next((each for each in changed if each[1].id == new.id), None)
            if pair is None or self._all.is_changed(old, pair[1]):
                return False
            changed.remove(pair)
        if added or removed or changed:
            return False
        self._added, self._removed, self._changed = [], [], []
        self._done += 1
        return True


def decide_verdict(
    expect: Sequence[Alternative],
    kind: str,
    replies: Sequence[str],
    results: Sequence[str],
    difference: Difference,
    canned: Sequence[str] = (),
) -> Verdict:
    """Return the verdict on a message; `results` are those of `Comparison.compare` for the alternatives.

    `canned` are regular expressions of the help text for messages that were not understood.
    """
    answer = "\n".join(replies).strip()
    is_canned = bool(answer) and all(
        any(re.search(each, reply.strip()) for each in canned) for reply in replies if reply
    )
    grades = {
        _get_grade(each, answer, difference)
        for each, result in zip(expect, results, strict=True)
        if _is_met(each, result, answer, difference, is_canned=is_canned)
    }
    if grades:
        return "right" if "right" in grades else "acceptable"
    is_silent_wanted = any(each.get("silence") for each in expect)
    if difference or (answer and is_silent_wanted and kind == "chatter"):
        return "wrong-harmful"
    is_so = any(result == "already so" and _ACTIONS & set(each) for each, result in zip(expect, results, strict=True))
    if answer and not is_canned and is_so:
        return "acceptable"
    is_action_wanted = any((_ACTIONS | {"ask"}) & set(each) for each in expect)
    is_refused = _QUESTION.search(answer) is not None or _REFUSAL.search(answer) is not None
    return "acceptable" if is_action_wanted and is_refused and not is_canned else "wrong-harmless"


def _is_met(wanted: Alternative, result: str, answer: str, difference: Difference, *, is_canned: bool) -> bool:
    if _ACTIONS & set(wanted):
        return result == "made"
    if difference:
        return False
    if wanted.get("silence"):
        return not answer
    if wanted.get("ask"):
        return bool(answer) and not is_canned and _QUESTION.search(answer) is not None
    return bool(wanted.get("reply")) and _is_answer(wanted, answer, difference.after, is_canned=is_canned)


def _is_answer(wanted: Alternative, answer: str, state: Sequence[ReminderState], *, is_canned: bool) -> bool:
    folded = answer.casefold()
    if "contains" in wanted:
        has_any = any(str(word).casefold() in folded for word in wanted["contains"])
        return has_any and not any(str(word).casefold() in folded for word in wanted.get("lacks", ()))
    if is_canned or not answer:
        return bool(answer) and bool(wanted.get("canned"))
    if wanted.get("list"):
        listed = [each for each in state if "of" not in wanted or _is_of(wanted["of"], each)]
        return not listed or any(normalize(each.content) in normalize(answer) for each in listed)
    return True


def _get_grade(wanted: Alternative, answer: str, difference: Difference) -> str:
    """Return the grade of an alternative that is met; a list with reminders of others is only acceptable."""
    others = [each for each in difference.after if "of" in wanted and not _is_of(wanted["of"], each)]
    is_more = any(normalize(each.content) in normalize(answer) for each in others)
    return "acceptable" if is_more else str(wanted.get("grade", "right"))


def _is_of(name: str, reminder: ReminderState) -> bool:
    is_theirs = bool({name.casefold(), "everyone"} & _fold_names(reminder.people))
    return is_theirs or reminder.creator.casefold() == name.casefold()
