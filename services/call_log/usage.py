"""Count the model usage of the current message, which is in a context variable, and meter language models."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from services.call_log.model import NOTHING, CompletionRecord, UsageCost, person_key
from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import Completion, CompletionRequest, LanguageModel, Usage


class BudgetPolicy(Protocol):
    """Permits requests to a model and counts their usage."""

    async def check(self, turn: "TurnUsage | None") -> None:
        """Allow a request.

        Raises:
            ModelUnavailable: a budget is used up (`budget`).
        """

    def charge(self, turn: "TurnUsage | None", charge: UsageCost) -> None:
        """Add the usage of a request."""


class NoBudget:
    """No budget: every request passes and nothing is counted."""

    async def check(self, turn: "TurnUsage | None") -> None:
        """Allow the request."""

    def charge(self, turn: "TurnUsage | None", charge: UsageCost) -> None:
        """Count nothing."""


class TurnUsage(Struct, kw_only=True):
    """The usage of one message.

    `route` is the interpreter of the present round, `round` its number from 1, `calls` the number of ended calls.
    `budget` has the budgets that apply to the message.
    """

    address: ChatAddress
    person: Person
    message_id: str
    route: str = ""
    round: int = 0
    fallback: str = ""
    completions: list[CompletionRecord] = field(default_factory=list)
    charge: UsageCost = NOTHING
    calls: int = 0
    budget: BudgetPolicy = field(default_factory=NoBudget)
    _noted: int = 0

    @property
    def person_key(self) -> str:
        """The key of the person on their platform."""
        return person_key(self.address, self.person.id)

    def begin_round(self, route: str) -> None:
        """Begin the next round with the interpreter `route`."""
        self.route = route
        self.round += 1

    def fall_back(self, route: str, reason: str) -> None:
        """Continue this round with the interpreter `route` because of `reason`."""
        self.route = route
        self.fallback = reason

    def add(self, completion: CompletionRecord) -> None:
        """Count one request to a model."""
        self.completions.append(completion)
        self.charge += completion.charge

    def refuse(self, reasons: tuple[str, ...]) -> None:
        """Record the validation errors of the latest completion's calls."""
        if self.completions:
            self.completions[-1] = replace(self.completions[-1], refused=reasons)

    def take_new(self) -> tuple[CompletionRecord, ...]:
        """Return the completions since the last call of this method."""
        new = tuple(self.completions[self._noted :])
        self._noted = len(self.completions)
        return new


# A request to a language model does not have its turn, and tools make requests too (a summary, an agent): all code that
# runs for a message finds its usage here, including tasks and threads.
_current: ContextVar[TurnUsage | None] = ContextVar("turn_usage", default=None)


def current_usage() -> TurnUsage | None:
    """Return the usage of the message that this task answers; None outside of a turn."""
    return _current.get()


@contextmanager
def count_usage(turn: TurnUsage) -> Iterator[TurnUsage]:
    """Make `turn` the current usage within the context."""
    token = _current.set(turn)
    try:
        yield turn
    finally:
        _current.reset(token)


_MILLION = 1_000_000


class Price(Struct, frozen=True, kw_only=True):
    """The price of a million tokens in the operator's currency; `cached` is for prompt tokens served from a cache."""

    input: float = 0.0
    output: float = 0.0
    cached: float = 0.0

    def of(self, usage: Usage) -> float:
        """Return the cost of `usage`."""
        fresh = max(0, usage.prompt_tokens - usage.cached_tokens)
        return (
            fresh * self.input + usage.cached_tokens * self.cached + usage.completion_tokens * self.output
        ) / _MILLION


class MeteredModel:
    """Adds the usage of every request of `model` to the current message; `budget` replaces the message's budget."""

    def __init__(self, model: LanguageModel, *, price: Price | None = None, budget: BudgetPolicy | None = None) -> None:
        self._model = model
        self._price = price or Price()
        self._budget = budget

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def complete(self, request: CompletionRequest) -> Completion:
        """Complete `request` if the budgets allow it.

        Raises:
            ModelUnavailable: a budget is used up (`budget`), without a request; or there was no usable answer.
        """
        turn = current_usage()
        budget = self._budget or (NoBudget() if turn is None else turn.budget)
        await budget.check(turn)
        try:
            completion = await self._model.complete(request)
        except ModelUnavailable as error:
            if turn is not None:
                name = request.model or self._model.name
                turn.add(CompletionRecord(model=name, round=turn.round, error=error.reason))
            raise
        charge = self._charge(completion.usage)
        if turn is not None:
            turn.add(_record(completion, turn.round, charge))
        budget.charge(turn, charge)
        return completion

    def _charge(self, usage: Usage) -> UsageCost:
        return UsageCost(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cached_tokens=usage.cached_tokens,
            cost=self._price.of(usage),
        )


def _record(completion: Completion, round_number: int, charge: UsageCost) -> CompletionRecord:
    return CompletionRecord(
        model=completion.model,
        round=round_number,
        charge=charge,
        finish_reason=completion.finish_reason,
        requested=completion.calls,
    )
