"""Answers in free words that claim a change: they stand only where a receipt proves one."""

import re
from collections.abc import Sequence

from function_calls.calls import Interpretation, Step, ToolCall, Turn
from function_calls.own_words import intents_of
from function_calls.phrases import bare, every_claim, folded
from function_calls.wording import say

_SENTENCE = re.compile(r"[^.!?。！？；;\n]+(?:[.!?。！？；;]+|\n|$)")
_CHANGES = frozenset({"reminder_set", "reminder_delete", "reminder_update", "reminder_snooze", "undo"})
_KEEPING = frozenset({"reminder_state", "memory_save", "memory_forget", "time_zone", "quiet_hours"})


def is_unproven(turn: Turn, answer: str) -> bool:
    """Whether `answer`, a model's, says that something was set, changed or deleted, and nothing was in this turn."""
    return not _has_receipt(turn.steps) and (_claims(answer) or _claims_alone(turn, answer))


def is_promise(turn: Turn, answer: str) -> bool:
    """Whether `answer`, a model's, sounds as if it had done what it was asked, or would: "Noted!", 好的，记住了."""
    if turn.steps or not turn.message.is_addressed or answer.rstrip().endswith(("?", "？")):
        return False
    plain = folded(answer)
    return any(each.promises.search(plain) for each in every_claim())


def only_changes(calls: Sequence[ToolCall]) -> bool:
    """Whether `calls` are all of functions that set, change, keep or delete something of the person's."""
    return bool(calls) and all(call.name in _CHANGES or call.name in _KEEPING for call in calls)


def asks_for_change(turn: Turn) -> bool:
    """Whether the person asks for something to be set, changed or deleted."""
    return bool(intents_of(turn, turn.message) & _CHANGES)


def what_happened(turn: Turn) -> Interpretation:
    """What is said instead: what failed, as the tools worded it, or that nothing was changed."""
    failures = [result.text for step in turn.steps for result in step.results if not result.ok and result.text.strip()]
    return Interpretation(answer="\n".join(failures) or say(turn.language, "claim.unproven"))


def _has_receipt(steps: Sequence[Step]) -> bool:
    return any(result.receipts for step in steps for result in step.results)


def _claims(answer: str) -> bool:
    plain = folded(answer)
    if not any(each.gate.search(plain) for each in every_claim()):
        return False
    return any(_claims_a_change(match[0].strip()) for match in _SENTENCE.finditer(plain))


def _claims_a_change(sentence: str) -> bool:
    if not any(each.says.search(sentence) for each in every_claim()):
        return False
    return not any(each.excused.search(sentence) for each in every_claim())


def _claims_alone(turn: Turn, answer: str) -> bool:
    """Whether the whole answer is "done", to somebody who asked for a change."""
    said = bare(answer, turn.bot_name)
    if not any(each.alone.search(said) for each in every_claim()):
        return False
    return asks_for_change(turn)
