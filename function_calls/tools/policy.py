"""Switch functions off per chat, and hold the policy of a router's calls."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct, field

from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.confirmation.change_log import ChangeLog
from function_calls.tools.confirmation.pending_calls import Confirmations
from function_calls.tools.permission import Viewer
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.state import StateStore

_KEPT: Final = timedelta(days=36500)
_TRUSTED_FOR: Final = timedelta(seconds=30)  # another process may have switched something meanwhile
_MOST_CHATS: Final = 2000


class ToolSwitches:
    """The tools switched off in each chat; every tool is on until somebody switches it off.

    `expand` says which tools are off with a name that stands for several, such as a plugin's.
    """

    def __init__(self, state: StateStore, clock: Clock) -> None:
        self.expand: Callable[[str], Iterable[str]] = _nothing_more
        self._state = state
        self._clock = clock
        self._read: BoundedDict[str, tuple[datetime, frozenset[str]]] = BoundedDict(_MOST_CHATS)

    async def off_in(self, chat: ChatAddress) -> frozenset[str]:
        """Return the names of the tools that are off in `chat`."""
        now = self._clock.now()
        known = self._read.get(chat.key)
        if known is not None and now - known[0] < _TRUSTED_FOR:
            return known[1]
        stored = await self._state.get(_key(chat))
        return self._remember(chat, stored if isinstance(stored, list) else ())

    async def switch(self, chat: ChatAddress, name: str, *, is_on: bool) -> None:
        """Switch one tool of a chat on or off."""
        stored = await self._state.get(_key(chat))
        off = {str(name_off) for name_off in stored} if isinstance(stored, list) else set()
        off = off - {name} if is_on else off | {name}
        await self._state.set(_key(chat), [*sorted(off)] if off else None, keep=_KEPT, is_promised=True)
        self._remember(chat, off)

    def _remember(self, chat: ChatAddress, names: Collection[object]) -> frozenset[str]:
        switched = [str(name) for name in names]
        off = frozenset([*switched, *(tool for name in switched for tool in self.expand(name))])
        self._read[chat.key] = (self._clock.now(), off)
        return off


def _nothing_more(name: str) -> tuple[str, ...]:  # noqa: ARG001 - most names stand for themselves
    return ()


def _key(chat: ChatAddress) -> str:
    return f"tools.off:{chat.key}"


if TYPE_CHECKING:
    from function_calls.router import FunctionCallRouter
    from function_calls.tools.context import CallContext

_MOST_SERVED: Final = 10_000


class Dispatcher(Protocol):
    """Runs calls: a router, the bot's or an agent's."""

    async def dispatch(self, call: ToolCall, context: "CallContext") -> ToolResult:
        """Run `call` and return its result."""
        ...


class EnclosedDispatcher(Struct, frozen=True, kw_only=True):
    """Runs calls with `inner` under the `enclosing` routers, outermost first, as when an agent made them."""

    inner: Dispatcher
    enclosing: "tuple[FunctionCallRouter, ...]"

    async def dispatch(self, call: ToolCall, context: "CallContext") -> ToolResult:
        """Run `call` and return its result."""
        return await self.inner.dispatch(call, context.within(*self.enclosing))


class CallPolicy(Struct, frozen=True, kw_only=True):
    """The bot's owners, switched-off tools, calls pending confirmation, and changes that can be undone.

    `owners` are people as `platform:id`. `agents` are the routers of the agents that have called tools, by the agent's
    name, so that their calls can be confirmed and taken back. `served` has, by the key of a conversation, the id of the
    latest message for which a call was made that asked nothing back.
    """

    owners: frozenset[str]
    switches: ToolSwitches
    confirmations: Confirmations
    receipts: ChangeLog
    agents: dict[str, Dispatcher] = field(default_factory=dict)
    served: BoundedDict[str, str] = field(default_factory=lambda: BoundedDict(_MOST_SERVED))

    @classmethod
    def over(cls, state: StateStore, clock: Clock, owners: Collection[str] = ()) -> "CallPolicy":
        """Create a policy that keeps everything in `state`."""
        return cls(
            owners=frozenset(owners),
            switches=ToolSwitches(state, clock),
            confirmations=Confirmations(state),
            receipts=ChangeLog(state),
        )

    def may_rule(self, viewer: Viewer) -> bool:
        """Return whether `viewer` may switch tools in the chat: admins, owners, anybody in a private chat."""
        return viewer.is_private or viewer.person.is_admin or viewer.key in self.owners
