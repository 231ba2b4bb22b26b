"""Define the policy of a router's calls: owners, switched-off tools, pending calls and changes."""

from collections.abc import Callable, Collection, Iterable
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct, field

from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.confirmation.change_log import ChangeLog
from function_calls.tools.confirmation.pending_calls import Confirmations
from function_calls.tools.permission import Viewer
from services.kernel.bounded import BoundedDict, TimedCache
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.state import Json, StateStore, change_value

if TYPE_CHECKING:
    from function_calls.router import FunctionCallRouter
    from function_calls.tools.context import CallContext

_CACHED_FOR: Final = timedelta(seconds=30)  # another process may switch tools
_MAX_CHATS: Final = 2000
_MAX_CONVERSATIONS: Final = 10_000


class ToolSwitches:
    """The tools switched off in each chat; all tools are on by default.

    `expand` returns the tools of a name for several tools, such as that of a plugin.
    """

    def __init__(self, state: StateStore, clock: Clock) -> None:
        self.expand: Callable[[str], Iterable[str]] = lambda _: ()
        self._state = state
        self._cache: TimedCache[frozenset[str]] = TimedCache(clock, _CACHED_FOR, _MAX_CHATS)

    async def off_in(self, chat: ChatAddress) -> frozenset[str]:
        """Return the names of the tools switched off in `chat`."""
        return await self._cache.get(chat.key, partial(self._load, chat))

    async def _load(self, chat: ChatAddress) -> frozenset[str]:
        stored = await self._state.get(_key(chat))
        switched = [str(name) for name in stored] if isinstance(stored, list) else []
        return frozenset([*switched, *(tool for name in switched for tool in self.expand(name))])

    async def switch(self, chat: ChatAddress, name: str, *, is_on: bool) -> None:
        """Switch a tool on or off in a chat."""

        def change(stored: Json) -> Json:
            off = {*map(str, stored)} if isinstance(stored, list) else set()
            return [*sorted(off - {name} if is_on else off | {name})] or None

        await change_value(self._state, _key(chat), change)
        self._cache.clear()


def _key(chat: ChatAddress) -> str:
    return f"tools.off:{chat.key}"


class Dispatcher(Protocol):
    """Runs calls, like the router of the bot or of an agent."""

    async def dispatch(self, call: ToolCall, context: "CallContext") -> ToolResult:
        """Run `call` and return its result."""


class EnclosedDispatcher(Struct, frozen=True, kw_only=True):
    """Runs calls with `inner` inside of the `enclosing` routers, outermost first, like calls of an agent."""

    inner: Dispatcher
    enclosing: "tuple[FunctionCallRouter, ...]"

    async def dispatch(self, call: ToolCall, context: "CallContext") -> ToolResult:
        """Run `call` and return its result."""
        return await self.inner.dispatch(call, context.within(*self.enclosing))


class CallPolicy(Struct, frozen=True, kw_only=True):
    """The bot's owners, switched-off tools, pending calls, and changes that can be undone.

    `owners` are people as `platform:id`. `agents` are the routers of agents by name, for confirmed calls and undo.
    `last_message_ids` has the id of the last message with a successful call, by the key of the conversation.
    """

    owners: frozenset[str]
    switches: ToolSwitches
    confirmations: Confirmations
    change_log: ChangeLog
    agents: dict[str, Dispatcher] = field(default_factory=dict)
    last_message_ids: BoundedDict[str, str] = field(default_factory=lambda: BoundedDict(_MAX_CONVERSATIONS))

    @classmethod
    def create(cls, state: StateStore, clock: Clock, owners: Collection[str] = ()) -> "CallPolicy":
        """Create a policy that stores its data in `state`."""
        return cls(
            owners=frozenset(owners),
            switches=ToolSwitches(state, clock),
            confirmations=Confirmations(state),
            change_log=ChangeLog(state),
        )

    def may_switch_tools(self, viewer: Viewer) -> bool:
        """Return whether `viewer` may switch tools in the chat: admins, owners, everyone in a private chat."""
        return viewer.is_private or viewer.person.is_admin or viewer.key in self.owners
