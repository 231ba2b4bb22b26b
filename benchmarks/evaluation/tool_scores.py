"""Judge what the bot did with a prompt: the right tool, the right arguments, nothing where nothing was asked."""

import re
from collections.abc import Sequence

from msgspec import Struct

from benchmarks.evaluation.measured_bot import Observed
from benchmarks.evaluation.prompts import NONE, Prompt
from function_calls.tools.calls import ToolCall
from services.recurrence.rules import WEEKDAYS
from services.reminders.model import Reminder


class Judgement(Struct, frozen=True, kw_only=True):
    """How one prompt went. `wrong` names the arguments that are wrong; it is empty when the tool is."""

    observed: Observed
    is_right_tool: bool
    wrong: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """Tool and arguments both."""
        return self.is_right_tool and not self.wrong


class ToolScore(Struct, frozen=True, kw_only=True):
    """Figures over some prompts; `false_triggers` counts tools called where none was wanted.

    `unanswered` counts prompts to which the model gave no usable answer; they count as wrong.
    """

    wanted: int
    right_tool: int
    right_arguments: int
    unwanted: int
    false_triggers: int
    unanswered: int
    median_seconds: float
    slowest_seconds: float


def judge(observed: Observed) -> Judgement:
    """Compare what the bot did with what the prompt wants."""
    prompt = observed.prompt
    if observed.failure:
        return Judgement(observed=observed, is_right_tool=False)
    called = tuple(dict.fromkeys(call.name for call in observed.calls)) or (NONE,)
    is_right = all(name in (prompt.tool, *prompt.accepts) for name in called)
    if not is_right or called == (NONE,):
        return Judgement(observed=observed, is_right_tool=is_right)
    return Judgement(observed=observed, is_right_tool=True, wrong=tuple(_wrong(prompt, observed)))


def score(judgements: Sequence[Judgement]) -> ToolScore:
    """Count."""
    wanted = [each for each in judgements if each.observed.prompt.tool != NONE]
    unwanted = [each for each in judgements if each.observed.prompt.tool == NONE]
    seconds = sorted(each.observed.seconds for each in judgements) or [0.0]
    return ToolScore(
        wanted=len(wanted),
        right_tool=sum(each.is_right_tool for each in wanted),
        right_arguments=sum(each.is_right for each in wanted),
        unwanted=len(unwanted),
        false_triggers=sum(not each.is_right_tool and not each.observed.failure for each in unwanted),
        unanswered=sum(bool(each.observed.failure) for each in judgements),
        median_seconds=seconds[len(seconds) // 2],
        slowest_seconds=seconds[-1],
    )


def _wrong(prompt: Prompt, observed: Observed) -> list[str]:
    """The names of what is wrong about the calls of the right tool."""
    if prompt.tool == "reminder_set":
        return _wrong_reminder(prompt, observed.reminders)
    given = observed.calls[0]
    found = []
    if prompt.words and not _has_one(_text(given, "query"), prompt.words):
        found.append("query")
    if prompt.reminder_id and _number(_text(given, "reminder_id")) != prompt.reminder_id:
        found.append("reminder_id")
    return found


def _wrong_reminder(prompt: Prompt, reminders: Sequence[Reminder]) -> list[str]:
    """Return what is wrong about the reminder that is kept now: its time as it will fire, its rule, its words."""
    if not reminders and not prompt.due:
        return []  # the time is missing, or not known to the data; a question about it is no mistake
    if len(reminders) != 1:
        return ["reminder"]
    schedule = reminders[0].schedule
    written = f"{schedule.start:%H:%M}" if prompt.repeats else f"{schedule.start:%Y-%m-%d %H:%M}"
    checks = {
        "due": not prompt.due or written == prompt.due,
        "repeats": not prompt.due or _repeats(str(schedule.rule or "")) == prompt.repeats,
        "weekday": prompt.weekday is None or schedule.start.weekday() == prompt.weekday,
        "content": not prompt.words or _has_one(reminders[0].content, prompt.words),
        "person": not prompt.person or prompt.person in [each.name for each in reminders[0].targets],
    }
    return [name for name, is_right in checks.items() if not is_right]


def _repeats(rule: str) -> str:
    if not rule:
        return ""
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    every_day = parts.get("FREQ") == "WEEKLY" and set(parts.get("BYDAY", "").split(",")) == set(WEEKDAYS)
    return "daily" if every_day else parts.get("FREQ", "").lower()


def _text(call: ToolCall, name: str) -> str:
    return str(call.arguments.get(name) or "")


def _has_one(text: str, words: Sequence[str]) -> bool:
    return any(word.lower() in text.lower() for word in words)


def _number(reference: str) -> str:
    """A reference as its bare number, where it is one: `#3` and `3号` are `3`."""
    found = re.fullmatch(r"[#＃]?\s*(\d+)\s*号?", reference)
    return found[1] if found else reference
