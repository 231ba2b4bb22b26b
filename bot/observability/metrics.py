"""Count messages, turns, calls and model usage since the start, and measure the latency of model requests."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from time import perf_counter
from typing import Final

from msgspec import Struct, field

from services.call_log.model import CallRecord, TurnRecord
from services.kernel.chat import ChatMessage
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import Completion, CompletionRequest, InstrumentedModel, LanguageModel

STEPS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0)
"""Upper bounds of the histograms, in seconds; longer durations are counted after the last."""
OTHER: Final = "(other)"
"""The name under which all further tools are counted."""
MAX_TOOLS: Final = 1000
"""Tools that are counted by name."""


class Latencies(Struct, kw_only=True):
    """A histogram of durations: counts by step, the last for durations above all steps, and the sum in seconds."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(STEPS) + 1))
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect_left(STEPS, seconds)] += 1
        self.seconds += seconds

    def up_to(self) -> Iterator[tuple[str, int]]:
        """Yield each step with the number of durations up to it, and `+Inf` with the number of all."""
        total = 0
        for step, count in zip((*map(str, STEPS), "+Inf"), self.counts, strict=True):
            total += count
            yield step, total


class Counts(Struct, kw_only=True):
    """Counts of messages by author (`bot`, `people`), turns by route and outcome, and calls by tool and status.

    `tokens` are by model and kind (`prompt`, `completion`), `cost` is by model, `lateness` is that of all reminders.
    """

    messages: Counter[str] = field(default_factory=Counter)
    turns: Counter[tuple[str, str]] = field(default_factory=Counter)
    calls: dict[tuple[str, str], Latencies] = field(default_factory=dict)
    tokens: Counter[tuple[str, str]] = field(default_factory=Counter)
    cost: dict[str, float] = field(default_factory=dict)
    lateness: Latencies = field(default_factory=Latencies)

    def count_message(self, message: ChatMessage) -> None:
        """Count a recorded message."""
        self.messages["bot" if message.sender.is_bot else "people"] += 1

    def count_record(self, entry: TurnRecord | CallRecord) -> None:
        """Count a turn with its model usage, or a call."""
        if isinstance(entry, CallRecord):
            name = (entry.tool_name, entry.status)
            if name not in self.calls and len(self.calls) >= MAX_TOOLS:
                name = (OTHER, entry.status)  # the tools of pages may have any name
            self.calls.setdefault(name, Latencies()).add(entry.duration_ms / 1000)
            return
        self.turns[entry.route, entry.outcome] += 1
        for each in entry.completions:
            self.tokens[each.model, "prompt"] += each.charge.prompt_tokens
            self.tokens[each.model, "completion"] += each.charge.completion_tokens
            self.cost[each.model] = self.cost.get(each.model, 0.0) + each.charge.cost

    def count_delivery(self, lateness: timedelta) -> None:
        """Count a delivered reminder."""
        self.lateness.add(max(0.0, lateness.total_seconds()))


class ModelLatency:
    """Times the requests to the models that it wraps, by model and outcome (`ok`, or the reason of the failure)."""

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self._now = now
        self.by_outcome: dict[tuple[str, str], Latencies] = {}
        """The durations by the model's name and the outcome."""
        self.last_failure: ModelUnavailable | None = None
        """The failure of the last request; None if it was answered."""

    def model(self, inner: LanguageModel) -> LanguageModel:
        """Wrap `inner` so that its requests are timed."""
        return InstrumentedModel(inner, self.complete)

    async def complete(self, inner: LanguageModel, request: CompletionRequest) -> Completion:
        """Ask `inner` and count the duration."""
        start, outcome = self._now(), "cancelled"
        try:
            completion = await inner.complete(request)
            outcome, self.last_failure = "ok", None
        except ModelUnavailable as error:
            outcome, self.last_failure = error.reason, error
            raise
        else:
            return completion
        finally:
            self.by_outcome.setdefault((request.model or inner.name, outcome), Latencies()).add(self._now() - start)
