"""Score the tool calls of the bot: the right tool, the right arguments, no call for messages that ask for none."""

import re
from collections.abc import Sequence

from msgspec import Struct

from benchmarks.evaluation.bot_runner import Observation
from benchmarks.evaluation.prompts import Prompt
from benchmarks.evaluation.sentence_cases import NONE
from function_calls.tools.calls import ToolCall
from services.recurrence.rules import WEEKDAYS
from services.reminders.model import Reminder


class Judgement(Struct, frozen=True, kw_only=True):
    """The judgement of one prompt; `wrong` has the names of wrong arguments if the tool is right."""

    observation: Observation
    is_right_tool: bool
    wrong: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """Return whether the tool and the arguments are right."""
        return self.is_right_tool and not self.wrong


class ToolScore(Struct, frozen=True, kw_only=True):
    """Counts and latency of prompts; `false_triggers` are calls for prompts that ask for none.

    `unanswered` are prompts for which the model gave no usable answer; they also count as wrong.
    """

    wanted: int
    right_tool: int
    right_arguments: int
    unwanted: int
    false_triggers: int
    unanswered: int
    median_seconds: float
    slowest_seconds: float


def judge(observation: Observation) -> Judgement:
    """Compare the calls of the bot with the expected ones of the prompt."""
    prompt = observation.prompt
    if observation.failure:
        return Judgement(observation=observation, is_right_tool=False)
    called = tuple(dict.fromkeys(call.name for call in observation.calls)) or (NONE,)
    is_right = all(name in (prompt.tool, *prompt.accepts) for name in called)
    if not is_right or called == (NONE,):
        return Judgement(observation=observation, is_right_tool=is_right)
    return Judgement(
        observation=observation, is_right_tool=True, wrong=tuple(_list_wrong_arguments(prompt, observation))
    )


def score(judgements: Sequence[Judgement]) -> ToolScore:
    """Return the counts and the latency of all prompts."""
    wanted = [each for each in judgements if each.observation.prompt.tool != NONE]
    unwanted = [each for each in judgements if each.observation.prompt.tool == NONE]
    seconds = sorted(each.observation.seconds for each in judgements) or [0.0]
    return ToolScore(
        wanted=len(wanted),
        right_tool=sum(each.is_right_tool for each in wanted),
        right_arguments=sum(each.is_right for each in wanted),
        unwanted=len(unwanted),
        false_triggers=sum(not each.is_right_tool and not each.observation.failure for each in unwanted),
        unanswered=sum(bool(each.observation.failure) for each in judgements),
        median_seconds=seconds[len(seconds) // 2],
        slowest_seconds=seconds[-1],
    )


def _list_wrong_arguments(prompt: Prompt, observation: Observation) -> list[str]:
    """Return the names of the wrong arguments of the right tool."""
    if prompt.tool == "reminder_set":
        return _list_wrong_fields(prompt, observation.reminders)
    given = observation.calls[0]
    found = []
    if prompt.words and not _has_one(_get_text(given, "query"), prompt.words):
        found.append("query")
    if prompt.reminder_id and _parse_number(_get_text(given, "reminder_id")) != prompt.reminder_id:
        found.append("reminder_id")
    return found


def _list_wrong_fields(prompt: Prompt, reminders: Sequence[Reminder]) -> list[str]:
    """Return the names of the wrong fields of the reminder that was set."""
    if not reminders and not prompt.due:
        return []  # the prompt has no time, or it is not labelled: the bot may ask for it
    if len(reminders) != 1:
        return ["reminder"]
    schedule = reminders[0].schedule
    due = f"{schedule.start:%H:%M}" if prompt.repeats else f"{schedule.start:%Y-%m-%d %H:%M}"
    checks = {
        "due": not prompt.due or due == prompt.due,
        "repeats": not prompt.due or _get_frequency(str(schedule.rule or "")) == prompt.repeats,
        "weekday": prompt.weekday is None or schedule.start.weekday() == prompt.weekday,
        "content": not prompt.words or _has_one(reminders[0].content, prompt.words),
        "person": not prompt.person or prompt.person in [each.name for each in reminders[0].targets],
    }
    return [name for name, is_right in checks.items() if not is_right]


def _get_frequency(rule: str) -> str:
    if not rule:
        return ""
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    every_day = parts.get("FREQ") == "WEEKLY" and set(parts.get("BYDAY", "").split(",")) == set(WEEKDAYS)
    return "daily" if every_day else parts.get("FREQ", "").lower()


def _get_text(call: ToolCall, name: str) -> str:
    return str(call.arguments.get(name) or "")


def _has_one(text: str, words: Sequence[str]) -> bool:
    return any(word.lower() in text.lower() for word in words)


def _parse_number(reference: str) -> str:
    """Return the number of a reference such as `#3` or `3号`, or else the reference."""
    found = re.fullmatch(r"[#＃]?\s*(\d+)\s*号?", reference)
    return found[1] if found else reference
