"""Meter a language model: check the budget before each request and record its usage."""

from msgspec import Struct

from services.call_log.model import CompletionRecord, UsageCost
from services.call_log.tally import BudgetPolicy, NoBudget, current_usage
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import Completion, CompletionRequest, LanguageModel, Usage

_MILLION = 1_000_000


class Price(Struct, frozen=True, kw_only=True):
    """The price of a million tokens in the operator's currency; cached ones are prompt tokens served from a cache."""

    input: float = 0.0
    output: float = 0.0
    cached: float = 0.0

    def of(self, usage: Usage) -> float:
        """Return what `usage` costs."""
        fresh = max(0, usage.prompt_tokens - usage.cached_tokens)
        return (
            fresh * self.input + usage.cached_tokens * self.cached + usage.completion_tokens * self.output
        ) / _MILLION


class MeteredModel:
    """Meters `model`: every request made for a message is added to that message's usage.

    Without a `purse` of its own the message's budgets hold.
    """

    def __init__(self, model: LanguageModel, *, price: Price | None = None, purse: BudgetPolicy | None = None) -> None:
        self._model = model
        self._price = price or Price()
        self._purse = purse

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request` if the budgets allow it.

        Raises:
            ModelUnavailable: a budget is used up (`budget`), and no request was made; or there was no usable answer.
        """
        tally = current_usage()
        purse = self._purse or (NoBudget() if tally is None else tally.purse)
        await purse.check(tally)
        try:
            completion = await self._model.complete(request)
        except ModelUnavailable as error:
            if tally is not None:
                tally.add(CompletionRecord(model=self._model.name, round=tally.round, error=error.reason))
            raise
        charge = self._charge(completion.usage)
        if tally is not None:
            tally.add(_recorded(completion, tally.round, charge))
        purse.charge(tally, charge)
        return completion

    def _charge(self, usage: Usage) -> UsageCost:
        return UsageCost(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cached_tokens=usage.cached_tokens,
            cost=self._price.of(usage),
        )


def _recorded(completion: Completion, round_number: int, charge: UsageCost) -> CompletionRecord:
    return CompletionRecord(
        model=completion.model,
        round=round_number,
        charge=charge,
        finish_reason=completion.finish_reason,
        requested=completion.calls,
    )
