"""Limit the use of models per message, and per day by person, chat and installation."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from datetime import date, datetime, time, tzinfo

from msgspec import Struct

from services.call_log.model import Spent, UsageCost
from services.call_log.usage import TurnUsage
from services.kernel.clock import Clock
from services.kernel.errors import ModelUnavailable

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
            used: dict[tuple[str, str], UsageCost] = defaultdict(UsageCost)
            for spent in await self._spent_since(datetime.combine(today, time(), self._zone)):
                charge = UsageCost(prompt_tokens=spent.tokens, cost=spent.cost)
                for name in (("chat", spent.chat_key), ("person", spent.person_key), ("day", "")):
                    used[name] += charge
            self._used, self._day = used, today


def _names(turn: TurnUsage | None) -> list[tuple[str, str]]:
    if turn is None:
        return [("day", "")]
    return [("person", turn.person_key), ("chat", turn.address.key), ("day", "")]
