"""Detect claims of a change in a model's answer that no receipt proves, and remove forged receipts from it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from function_calls.grounding.intents import asks_for_any
from function_calls.grounding.request_cues import load_cues
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import LANGUAGES, bare, every_claim, folded, foreign_change_requests
from function_calls.model_calls.transcript import result_text
from function_calls.tools.calls import Interpretation, Step, ToolCall, Turn
from function_calls.tools.dispatch.execution import may_have_changed
from function_calls.understanding.reading.lexicon import load_lexicon

# Ids begin with a letter; those without a digit are kept, since a word in brackets is mostly a word, and so are
# subscripts of code (`items[index0]`) and links of Markdown.
_BRACKETED_ID: Final = re.compile(
    r"(?<![a-z0-9_\])])[\[【〔「][\W_]{0,4}([a-z](?=[a-z]*\d)[a-z0-9]{5,8})[\W_]{0,4}[\]】〕」](?!\() ?", re.IGNORECASE
)
_LATEST_START: Final = 25  # characters of a line before the id of a receipt
_MARKS: Final = re.compile("[✅☑✔🗑✏💤⏭⏸▶↩⏰] ?")
_VARIATION_SELECTORS: Final = ("\ufe0e", "\ufe0f")
_EMPHASIS: Final = re.compile(r"[*_~`#>|\\]+")
_SENTENCE = re.compile(r"[^.!?。！？；;\n]+(?:[.!?。！？；;]+|\n|$)")
_CHANGES = frozenset({"reminder_set", "reminder_delete", "reminder_update", "reminder_snooze", "undo"})
_KEEPING = frozenset({"reminder_state", "memory_save", "memory_forget", "time_zone", "quiet_hours"})
_WANTED = _CHANGES | _KEEPING


def warm_up(usual: str) -> None:
    """Load what the answers of a model are compared with, before the first answer: patterns, the `usual` language."""
    load_lexicon(usual)
    foreign_change_requests()
    every_claim()
    for language in LANGUAGES:
        load_cues(language)


def is_unproven(turn: Turn, answer: str) -> bool:
    """Return whether a model's `answer` claims a change in a turn without one."""
    if any(result.receipts for step in turn.steps for result in step.results):
        return False
    return is_forged(answer, _shown(turn)) or _claims(answer) or _claims_alone(turn, answer)


def without_forged_receipt(turn: Turn, made: Interpretation) -> Interpretation:
    """Return `made`, a model's answer, without marks and ids of receipts that no tool of this turn gave.

    The answer to a request for a change ends with a note that nothing was changed, unless a tool made a change or the
    answer is a question.
    """
    answer = strip_receipt_marks(made.answer, _shown(turn))
    is_statement = answer and not made.calls and not _asks(answer)
    if is_statement and not may_have_changed(turn) and asks_for_change(turn):
        answer = f"{answer}\n{say(turn.language, 'claim.nothing_changed')}"
    return made if answer == made.answer else replace(made, answer=answer)


def is_promise(turn: Turn, answer: str) -> bool:
    """Return whether a model's `answer` sounds as if it had done, or would do, the request: "Noted!", 好的，记住了."""
    if turn.steps or not turn.message.is_addressed or answer.rstrip().endswith(("?", "？")):
        return False
    plain = folded(answer)
    return any(each.promises.search(plain) for each in every_claim())


def only_changes(calls: Sequence[ToolCall]) -> bool:
    """Return whether `calls` are all of functions that set, change, keep or delete something of the person's."""
    return bool(calls) and all(call.name in _WANTED for call in calls)


def asks_for_change(turn: Turn) -> bool:
    """Return whether the person asks for something to be set, changed, kept or deleted, in any language."""
    words = folded(turn.message.text)
    return any(map(words.__contains__, foreign_change_requests())) or asks_for_any(turn, _WANTED)


def describe_changes(turn: Turn) -> Interpretation:
    """Return the corrected answer: what failed and what ran, or that nothing was changed.

    A tool that does not say whether it changes something may have done so, an agent's too.
    """
    texts = [result.text for step in turn.steps for result in step.results if not result.ok and result.text.strip()]
    names = dict.fromkeys(_names_run(turn.steps))
    if names:
        texts.append(say(turn.language, "claim.unconfirmed", tools=", ".join(names)))
    return Interpretation(answer="\n".join(texts) or say(turn.language, "claim.unproven"))


def _names_run(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the names of the tools that ran to their end, those that agents called behind their agent's."""
    for step in steps:
        for call, result in zip(step.calls, step.results, strict=True):
            if result.ok:
                yield call.name
            if result.spawned is not None:
                yield from _names_run(result.spawned.steps)


def _shown(turn: Turn) -> Iterator[str]:
    """Yield the texts of this turn from which a model may repeat ids: the person's message and results of tools."""
    yield turn.message.text
    yield from (text for step in turn.steps for result in step.results for text in (result.text, result_text(result)))


def _asks(answer: str) -> bool:
    return "?" in answer or "？" in answer  # instructions for the answer often follow the question


def _claims(answer: str) -> bool:
    plain = folded(bare_text(answer))
    if not any(each.gate.search(plain) for each in every_claim()):
        return False
    return any(_claims_a_change(match[0].strip()) for match in _SENTENCE.finditer(plain))


def _claims_a_change(sentence: str) -> bool:
    return any(each.says.search(sentence) and not each.excused.search(sentence) for each in every_claim())


def _claims_alone(turn: Turn, answer: str) -> bool:
    """Return whether the whole answer is "done", to somebody who asked for a change."""
    text = bare(bare_text(answer), turn.bot_name)
    if not any(each.alone.search(text) for each in every_claim()):
        return False
    return asks_for_change(turn)


def is_forged(text: str, shown: Iterable[str] = ()) -> bool:
    """Return whether `text` has the form of a receipt with an id that is in none of the texts `shown` in this turn."""
    visible = visible_text(text)
    has_mark = _MARKS.search(visible) is not None
    starts = (match.start() for match in _unknown_ids(visible, shown))
    return any(has_mark or start - visible.rfind("\n", 0, start) <= _LATEST_START for start in starts)


def strip_receipt_marks(text: str, shown: Iterable[str] = ()) -> str:
    """Return `text` without the emoji of receipts and without bracketed ids that none of the texts `shown` has.

    Unchanged where there is nothing to remove; else in NFKC and without invisible characters, which hide such marks.
    """
    visible = visible_text(text)
    stripped = visible
    for match in reversed(list(_unknown_ids(visible, shown))):
        stripped = stripped[: match.start()] + stripped[match.end() :]
    stripped = _MARKS.sub("", stripped)
    return text if stripped == visible else stripped.strip()


def visible_text(text: str) -> str:
    """Return `text` in NFKC without format characters and variation selectors."""
    if text.isascii():
        return text
    kept = (each for each in text if unicodedata.category(each) != "Cf" and each not in _VARIATION_SELECTORS)
    return unicodedata.normalize("NFKC", "".join(kept))


def bare_text(text: str) -> str:
    """Return `visible_text` without the signs of Markdown, for patterns of words."""
    return _EMPHASIS.sub("", visible_text(text))


def _unknown_ids(visible: str, shown: Iterable[str]) -> Iterator[re.Match[str]]:
    found = list(_BRACKETED_ID.finditer(visible))
    known = " ".join(shown).lower() if found else ""
    return (match for match in found if match[1].lower() not in known)
