"""Count the model usage of the message in progress, reachable through a context variable."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from services.call_log.model import NOTHING, CompletionRecord, UsageCost, person_key
from services.kernel.chat import ChatAddress, Person


class BudgetPolicy(Protocol):
    """Decides whether a model may be asked."""

    async def check(self, tally: "TurnUsage | None") -> None:
        """Let a request pass.

        Raises:
            ModelUnavailable: a budget is used up (`budget`).
        """
        ...

    def charge(self, tally: "TurnUsage | None", charge: UsageCost) -> None:
        """Count what a request used."""
        ...


class NoBudget:
    """No budget: every request passes and nothing is counted."""

    async def check(self, tally: "TurnUsage | None") -> None:
        """Let it pass."""

    def charge(self, tally: "TurnUsage | None", charge: UsageCost) -> None:
        """Leave it uncounted."""


class TurnUsage(Struct, kw_only=True):
    """The usage of one message.

    `route` is who understands the present round, `round` its number from 1, `calls` how many calls have ended.
    `purse` holds the budgets that this message is under.
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
    purse: BudgetPolicy = field(default_factory=NoBudget)
    _noted: int = 0

    @property
    def person_key(self) -> str:
        """The person on their platform."""
        return person_key(self.address, self.person.id)

    def begin_round(self, route: str) -> None:
        """Note that `route` is asked to understand the next round."""
        self.route = route
        self.round += 1

    def fall_back(self, route: str, reason: str) -> None:
        """Note that `route` takes over this round because of `reason`."""
        self.route = route
        self.fallback = reason

    def add(self, completion: CompletionRecord) -> None:
        """Count one request to a model."""
        self.completions.append(completion)
        self.charge += completion.charge

    def refuse(self, reasons: tuple[str, ...]) -> None:
        """Note why calls of the latest completion could not be used."""
        if self.completions:
            self.completions[-1] = replace(self.completions[-1], refused=reasons)

    def take_new(self) -> tuple[CompletionRecord, ...]:
        """Return the completions that no call has been told of yet."""
        new = tuple(self.completions[self._noted :])
        self._noted = len(self.completions)
        return new


# The port of a language model does not carry who asks, and a tool may ask one (a summary, an agent): whatever runs
# on behalf of a message finds its account here, in its tasks and threads too.
_current: ContextVar[TurnUsage | None] = ContextVar("tally", default=None)


def current_usage() -> TurnUsage | None:
    """Return the account of the message that is being answered here; None outside of one."""
    return _current.get()


@contextmanager
def count_usage(tally: TurnUsage) -> Iterator[TurnUsage]:
    """Make `tally` the current one for the length of the context."""
    token = _current.set(tally)
    try:
        yield tally
    finally:
        _current.reset(token)
