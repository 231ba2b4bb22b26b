"""What watches over the calls of one bot, whatever door or agent they come from."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct, field

from function_calls.calls import ToolCall, ToolResult
from function_calls.confirmations import Confirmations
from function_calls.permission import Viewer
from function_calls.receipt_stack import ReceiptStack
from function_calls.tool_switches import ToolSwitches
from services.kernel.bounded import Bounded
from services.kernel.clock import Clock
from services.kernel.state import StateStore

if TYPE_CHECKING:
    from function_calls.context import CallContext
    from function_calls.router import FunctionCallRouter

_MOST_SERVED: Final = 10_000


class Dispatcher(Protocol):
    """Runs calls: a router, the bot's or an agent's."""

    async def dispatch(self, call: ToolCall, context: "CallContext") -> ToolResult:
        """Run `call` and return what came of it."""
        ...


class EnclosedDispatcher(Struct, frozen=True, kw_only=True):
    """Runs calls with `inner` under the `enclosing` routers, outermost first, as when an agent made them."""

    inner: Dispatcher
    enclosing: "tuple[FunctionCallRouter, ...]"

    async def dispatch(self, call: ToolCall, context: "CallContext") -> ToolResult:
        """Run `call` and return its result."""
        return await self.inner.dispatch(call, context.within(*self.enclosing))


class Oversight(Struct, frozen=True, kw_only=True):
    """Who owns the bot, what is switched off where, which calls wait for a yes, and what can be taken back.

    `owners` are people as `platform:id`. `agents` are the routers of the agents that have called tools, by the agent's
    name, so that their calls can be confirmed and taken back. `served` has, by the key of a conversation, the id of the
    latest message for which a call was made that asked nothing back.
    """

    owners: frozenset[str]
    switches: ToolSwitches
    confirmations: Confirmations
    receipts: ReceiptStack
    agents: dict[str, Dispatcher] = field(default_factory=dict)
    served: Bounded[str, str] = field(default_factory=lambda: Bounded(_MOST_SERVED))

    @classmethod
    def over(cls, state: StateStore, clock: Clock, owners: Collection[str] = ()) -> "Oversight":
        """Everything kept in `state`."""
        return cls(
            owners=frozenset(owners),
            switches=ToolSwitches(state, clock),
            confirmations=Confirmations(state),
            receipts=ReceiptStack(state),
        )

    def may_rule(self, viewer: Viewer) -> bool:
        """True where `viewer` may decide what works in the chat: its admins, the owners, anybody in a private chat."""
        return viewer.is_private or viewer.person.is_admin or viewer.key in self.owners
