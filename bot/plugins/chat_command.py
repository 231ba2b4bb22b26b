"""The chat command /plugins: what others have added, and switching it off and on in this chat."""

import re
from typing import Final

from bot.plugins.house import Installed, PluginHouse
from bot.plugins.per_chat import switch_of
from function_calls.calls import Reply, Turn
from function_calls.oversight import Oversight
from function_calls.phrases import every_language, folded
from function_calls.toolset import Viewer
from function_calls.wording import say

_COMMAND: Final = re.compile(r"/(?:plugins|插件)(?:@\S+)?(?:\s+(?P<word>\S+)(?:\s+(?P<name>\S+))?)?\s*")


class PluginCommands:
    """Answers /plugins, /plugins off NAME and /plugins on NAME for those who may rule the chat."""

    def __init__(self, house: PluginHouse, oversight: Oversight) -> None:
        self._house = house
        self._oversight = oversight

    async def __call__(self, turn: Turn) -> Reply | None:
        """The answer to a command; None for any other message."""
        command = _COMMAND.fullmatch(turn.message.text.strip())
        if command is None:
            return None
        viewer = Viewer.of(turn.message)
        if not self._oversight.may_rule(viewer):
            text = say(turn.language, "plugins.refused")
        elif command["name"] is None:
            text = await self._listed(viewer, turn.language)
        else:
            text = await self._switched(viewer, command["word"], command["name"], turn.language)
        return Reply(text=text, reply_to=turn.message.id)

    async def _listed(self, viewer: Viewer, language: str) -> str:
        plugins = self._house.plugins
        if not plugins:
            return say(language, "plugins.none")
        off = await self._oversight.switches.off_in(viewer.chat)
        lines = [_line(each, language, is_off=switch_of(each.plugin.name) in off) for each in plugins]
        return "\n".join([say(language, "plugins.head"), *lines, say(language, "plugins.how")])

    async def _switched(self, viewer: Viewer, word: str, name: str, language: str) -> str:
        is_on = any(folded(word) in each.switch_on for each in every_language())
        if not is_on and not any(folded(word) in each.switch_off for each in every_language()):
            return await self._listed(viewer, language)
        names = [each.plugin.name for each in self._house.plugins]
        if name not in names:
            return say(language, "plugins.unknown", name=name, known=", ".join(names))
        await self._oversight.switches.switch(viewer.chat, switch_of(name), is_on=is_on)
        return say(language, "plugins.switched_on" if is_on else "plugins.switched_off", name=name)


def _line(each: Installed, language: str, *, is_off: bool) -> str:
    if each.plugin.error:
        return say(language, "plugins.broken", name=each.plugin.name)
    functions = ", ".join(spec.name for spec in each.tools)
    return say(language, "plugins.off" if is_off else "plugins.on", name=each.plugin.name, functions=functions)
