"""Who decides whether a model may be asked, and counts what that used."""

from typing import TYPE_CHECKING, Protocol

from services.call_log.model import Charge

if TYPE_CHECKING:
    from services.call_log.tally import Tally


class Purse(Protocol):
    """Decides whether a model may be asked."""

    async def check(self, tally: "Tally | None") -> None:
        """Let a request pass.

        Raises:
            ModelUnavailable: a budget is used up (`budget`).
        """
        ...

    def charge(self, tally: "Tally | None", charge: Charge) -> None:
        """Count what a request used."""
        ...


class OpenPurse:
    """No budget: every request passes and nothing is counted."""

    async def check(self, tally: "Tally | None") -> None:
        """Let it pass."""

    def charge(self, tally: "Tally | None", charge: Charge) -> None:
        """Leave it uncounted."""
