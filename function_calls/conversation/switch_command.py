"""Answer chat commands that list items and switch them on and off in a chat, such as /tools."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Final

from function_calls.conversation.slash_commands import parse_typed
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import every_language, folded
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Reply, Turn
from function_calls.tools.policy import CallPolicy
from function_calls.tools.toolset import Viewer
from services.kernel.text import closest_names

_COMMAND_NAMES: Final = frozenset({"tools", "工具"})
_NEAREST: Final = 3


class SwitchCommand(ABC):
    """Answers a command alone, with `off NAME` and with `on NAME`, for people who may switch tools in the chat."""

    def __init__(self, names: Collection[str], policy: CallPolicy, *, refused: str) -> None:
        """Initialise the command with its `names`; `refused` is the message key for people without permission."""
        self._command_names = frozenset(names)
        self._policy = policy
        self._refused = refused

    async def __call__(self, turn: Turn) -> Reply | None:
        """Return the answer to a command; None for any other message."""
        command = parse_typed(turn.message.text, turn.bot_name)
        words = [] if command is None else command.argument.split()
        if command is None or command.other_bot or len(words) > 2:
            return None
        if command.name.casefold() not in self._command_names:
            return None
        viewer, language = Viewer.of(turn.message), turn.language
        is_on = _is_on(words[0]) if len(words) == 2 else None
        if not self._policy.may_switch_tools(viewer):
            text = say(language, self._refused)
        elif is_on is None:
            text = await self.list_items(viewer, language)
        else:
            text = await self.switch_item(viewer, words[1], language, is_on=is_on)
        return Reply(text=text, reply_to=turn.message.id)

    @abstractmethod
    async def list_items(self, viewer: Viewer, language: str) -> str:
        """Return the text with all items and their state."""

    @abstractmethod
    async def switch_item(self, viewer: Viewer, name: str, language: str, *, is_on: bool) -> str:
        """Switch an item on or off, and return the confirmation."""


def _is_on(word: str) -> bool | None:
    """Parse `word` as on or off, in any language; None where it is neither."""
    if any(folded(word) in phrases.switch_on for phrases in every_language()):
        return True
    return False if any(folded(word) in phrases.switch_off for phrases in every_language()) else None


class ToolCommands(SwitchCommand):
    """Lists tools (/tools), and switches them (/tools off NAME, /tools on NAME)."""

    def __init__(self, router: FunctionCallRouter, policy: CallPolicy) -> None:
        super().__init__(_COMMAND_NAMES, policy, refused="tools.refused")
        self._router = router
        self._switches = policy.switches

    async def list_items(self, viewer: Viewer, language: str) -> str:
        """Return the functions that can be switched here, line by line."""
        names, off = await self._names(viewer)
        lines = [say(language, "tools.off" if name in off else "tools.on", tool=name) for name in names]
        return "\n".join([say(language, "tools.head"), *lines, say(language, "tools.how")])

    async def switch_item(self, viewer: Viewer, name: str, language: str, *, is_on: bool) -> str:
        """Switch a function, or name similar ones."""
        names, _ = await self._names(viewer)
        if name not in names:
            near = closest_names(name, names, count=_NEAREST) or names
            return say(language, "tools.unknown", name=name, known=", ".join(near))
        await self._switches.switch(viewer.chat, name, is_on=is_on)
        return say(language, "tools.switched_on" if is_on else "tools.switched_off", tool=name)

    async def _names(self, viewer: Viewer) -> tuple[list[str], frozenset[str]]:
        """Return the functions that can be switched here, and those of them that are off."""
        off = await self._switches.off_in(viewer.chat)
        shown = [spec.name for spec in await self._router.list_specs(viewer)]
        own = [spec.name for spec in self._router.registry.specs if spec.name not in shown]
        return list(dict.fromkeys([*shown, *own, *sorted(off)])), off
