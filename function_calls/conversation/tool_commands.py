"""Answer the chat command /tools, which lists functions and switches them on and off in a chat."""

from typing import Final

from function_calls.conversation.switch_command import SwitchCommand, switch_pattern
from function_calls.language.messages import say
from function_calls.router import FunctionCallRouter
from function_calls.tools.policy import CallPolicy
from function_calls.tools.toolset import Viewer
from services.kernel.text import closest_name

_COMMAND: Final = switch_pattern("tools", "工具")
_NEAREST: Final = 3


class ToolCommands(SwitchCommand):
    """Answers /tools, /tools off NAME and /tools on NAME for those who may switch tools in the chat."""

    def __init__(self, router: FunctionCallRouter, oversight: CallPolicy) -> None:
        super().__init__(_COMMAND, oversight, refused="tools.refused")
        self._router = router
        self._switches = oversight.switches

    async def listed(self, viewer: Viewer, language: str) -> str:
        """Return the functions that can be switched here, line by line."""
        names, off = await self._names(viewer)
        lines = [say(language, "tools.off" if name in off else "tools.on", tool=name) for name in names]
        return "\n".join([say(language, "tools.head"), *lines, say(language, "tools.how")])

    async def switched(self, viewer: Viewer, name: str, language: str, *, is_on: bool) -> str:
        """Switch a function, or name similar ones."""
        names, _ = await self._names(viewer)
        if name not in names:
            near = closest_name(name, names, count=_NEAREST) or names
            return say(language, "tools.unknown", name=name, known=", ".join(near))
        await self._switches.switch(viewer.chat, name, is_on=is_on)
        return say(language, "tools.switched_on" if is_on else "tools.switched_off", tool=name)

    async def _names(self, viewer: Viewer) -> tuple[list[str], frozenset[str]]:
        """Return the functions that can be switched here, and those of them that are off."""
        off = await self._switches.off_in(viewer.chat)
        shown = [spec.name for spec in await self._router.list_specs(viewer)]
        own = [spec.name for spec in self._router.registry.specs if spec.name not in shown]
        return list(dict.fromkeys([*shown, *own, *sorted(off)])), off
