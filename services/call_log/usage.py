"""Count the model usage of the current message, which is in a context variable, and limit it by budgets."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime, time, tzinfo

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from services.call_log.model import NOTHING, CompletionRecord, Spent, UsageCost, person_key
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import Completion, CompletionRequest, InstrumentedModel, LanguageModel, Usage


class TurnUsage(Struct, kw_only=True):
    """The usage of one message.

    `route` is the interpreter of the present round, `round` its number from 1, `calls` the number of ended calls.
    `budget` has the budgets that apply to the message; None without any.
    """

    address: ChatAddress
    person: Person
    route: str = ""
    round: int = 0
    fallback: str = ""
    completions: list[CompletionRecord] = field(default_factory=list)
    charge: UsageCost = NOTHING
    calls: int = 0
    budget: "DailyBudget | None" = None
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


class MeteredModel(InstrumentedModel):
    """Adds the usage of every request of `model` to the current message; `budget` replaces the message's budget.

    `complete` raises `ModelUnavailable` without a request if a budget is used up (`budget`).
    """

    def __init__(
        self, model: LanguageModel, *, price: Price | None = None, budget: "DailyBudget | None" = None
    ) -> None:
        super().__init__(model, self._complete)
        self._price = price or Price()
        self._budget = budget

    async def _complete(self, model: LanguageModel, request: CompletionRequest) -> Completion:
        turn = current_usage()
        budget = self._budget or (None if turn is None else turn.budget)
        if budget is not None:
            await budget.check(turn)
        try:
            completion = await model.complete(request)
        except ModelUnavailable as error:
            if turn is not None:
                name = request.model or model.name
                turn.add(CompletionRecord(model=name, round=turn.round, error=error.reason))
            raise
        charge = UsageCost(**asdict(completion.usage), cost=self._price.of(completion.usage))
        if turn is not None:
            turn.add(
                CompletionRecord(
                    model=completion.model,
                    round=turn.round,
                    charge=charge,
                    finish_reason=completion.finish_reason,
                    requested=completion.calls,
                )
            )
        if budget is not None:
            budget.charge(turn, charge)
        return completion


SpentSince = Callable[[datetime], Awaitable[Sequence[Spent]]]


class Limit(Struct, frozen=True, kw_only=True):
    """A limit of tokens and of cost in the operator's currency; 0 means no limit."""

    tokens: int = 0
    cost: float = 0.0

    @property
    def is_set(self) -> bool:
        """Return whether anything is limited."""
        return bool(self.tokens or self.cost)

    def is_reached(self, tokens: int, cost: float) -> bool:
        """Return whether `tokens` or `cost` reach the limit."""
        return bool((self.tokens and tokens >= self.tokens) or (self.cost and cost >= self.cost))


class Budgets(Struct, frozen=True, kw_only=True):
    """The limits per message, and the daily limits per person, per chat and in total, in the bot's time zone."""

    message: Limit = Limit()
    person: Limit = Limit()
    chat: Limit = Limit()
    day: Limit = Limit()

    @property
    def is_set(self) -> bool:
        """Return whether anything is limited."""
        return any(limit.is_set for limit in (self.message, self.person, self.chat, self.day))


class DailyBudget:
    """Counts the usage of today and refuses requests beyond the limits.

    `spent_since` reads the recorded usage, so that a restart does not reset the day. A request that exceeds a limit is
    finished, because its usage is known only afterwards.
    """

    def __init__(self, budgets: Budgets, clock: Clock, zone: tzinfo, spent_since: SpentSince) -> None:
        self._budgets = budgets
        self._clock = clock
        self._zone = zone
        self._spent_since = spent_since
        self._opening = asyncio.Lock()
        self._day: date | None = None
        self._used: dict[tuple[str, str], UsageCost] = defaultdict(UsageCost)

    async def check(self, turn: TurnUsage | None) -> None:
        """Check the budgets of `turn`; without a turn only the total of the day.

        Raises:
            ModelUnavailable: a budget is used up (`budget`).
        """
        await self._open_day()
        for scope, limit, used in self._accounts(turn):
            if limit.is_reached(used.tokens, used.cost):
                raise ModelUnavailable("budget", f"the budget of this {scope} is used up")

    def charge(self, turn: TurnUsage | None, charge: UsageCost) -> None:
        """Add the usage of a request to the daily usage; the usage of the message is `turn.charge`."""
        for name in _names(turn):
            self._used[name] += charge

    def _accounts(self, turn: TurnUsage | None) -> list[tuple[str, Limit, UsageCost]]:
        budgets = self._budgets
        limits = {"person": budgets.person, "chat": budgets.chat, "day": budgets.day}
        accounts = [(name[0], limits[name[0]], self._used[name]) for name in _names(turn)]
        return accounts if turn is None else [("message", budgets.message, turn.charge), *accounts]

    async def _open_day(self) -> None:
        """Load the recorded usage of today, once a day."""
        today = self._clock.now().astimezone(self._zone).date()
        if self._day == today:
            return
        async with self._opening:
            if self._day == today:
                return
            used = self._used = defaultdict(UsageCost)  # now, so that it has the requests that end meanwhile
            for spent in await self._spent_since(datetime.combine(today, time(), self._zone)):
                charge = UsageCost(prompt_tokens=spent.tokens, cost=spent.cost)
                for name in (("chat", spent.chat_key), ("person", spent.person_key), ("day", "")):
                    used[name] += charge
            self._day = today


def _names(turn: TurnUsage | None) -> list[tuple[str, str]]:
    if turn is None:
        return [("day", "")]
    return [("person", turn.person_key), ("chat", turn.address.key), ("day", "")]
