"""The chat command /tools: which functions work in this chat, and switching them off and on."""

import difflib
import re
from typing import Final

from function_calls.calls import Reply, Turn
from function_calls.oversight import Oversight
from function_calls.phrases import every_language, folded
from function_calls.router import FunctionCallRouter
from function_calls.toolset import Viewer
from function_calls.wording import say

_COMMAND: Final = re.compile(r"/(?:tools|工具)(?:@\S+)?(?:\s+(?P<word>\S+)(?:\s+(?P<name>\S+))?)?\s*")
_NEAREST: Final = 3


def is_tools_command(text: str) -> bool:
    """Whether `text` is this command, well formed or not."""
    return _COMMAND.fullmatch(text.strip()) is not None


class ToolCommands:
    """Answers /tools, /tools off NAME and /tools on NAME for those who may rule the chat."""

    def __init__(self, router: FunctionCallRouter, oversight: Oversight) -> None:
        self._router = router
        self._oversight = oversight

    async def __call__(self, turn: Turn) -> Reply | None:
        """The answer to a command; None for any other message."""
        command = _COMMAND.fullmatch(turn.message.text.strip())
        if command is None:
            return None
        viewer = Viewer.of(turn.message)
        if not self._oversight.may_rule(viewer):
            text = say(turn.language, "tools.refused")
        elif command["name"] is None:
            text = await self._listed(viewer, turn.language)
        else:
            text = await self._switched(viewer, command["word"], command["name"], turn.language)
        return Reply(text=text, reply_to=turn.message.id)

    async def _listed(self, viewer: Viewer, language: str) -> str:
        names, off = await self._names(viewer)
        lines = [say(language, "tools.off" if name in off else "tools.on", tool=name) for name in names]
        return "\n".join([say(language, "tools.head"), *lines, say(language, "tools.how")])

    async def _switched(self, viewer: Viewer, word: str, name: str, language: str) -> str:
        is_on = any(folded(word) in each.switch_on for each in every_language())
        if not is_on and not any(folded(word) in each.switch_off for each in every_language()):
            return await self._listed(viewer, language)
        names, _ = await self._names(viewer)
        if name not in names:
            near = difflib.get_close_matches(name, names, n=_NEAREST, cutoff=0.5) or names
            return say(language, "tools.unknown", name=name, known=", ".join(near))
        await self._oversight.switches.switch(viewer.chat, name, is_on=is_on)
        return say(language, "tools.switched_on" if is_on else "tools.switched_off", tool=name)

    async def _names(self, viewer: Viewer) -> tuple[list[str], frozenset[str]]:
        """The functions that can be switched here, and those of them that are off."""
        off = await self._oversight.switches.off_in(viewer.chat)
        shown = [spec.name for spec in await self._router.list_specs(viewer)]
        own = [spec.name for spec in self._router.registry.specs if spec.name not in shown]
        return list(dict.fromkeys([*shown, *own, *sorted(off)])), off
