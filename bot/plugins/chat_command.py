"""Handle the chat command /plugins: list plugins and switch them off and on in a chat."""

from typing import Final

from bot.plugins.chat_switches import switch_of
from bot.plugins.manager import Installed, PluginManager
from function_calls.conversation.switch_command import SwitchCommand, switch_pattern
from function_calls.language.messages import say
from function_calls.tools.policy import CallPolicy
from function_calls.tools.toolset import Viewer

_COMMAND: Final = switch_pattern("plugins", "插件")


class PluginCommands(SwitchCommand):
    """Answers /plugins, /plugins off NAME and /plugins on NAME for those who may rule the chat."""

    def __init__(self, manager: PluginManager, oversight: CallPolicy) -> None:
        super().__init__(_COMMAND, oversight, refused="plugins.refused")
        self._manager = manager
        self._switches = oversight.switches

    async def listed(self, viewer: Viewer, language: str) -> str:
        """Every plugin with its functions, line by line."""
        plugins = self._manager.plugins
        if not plugins:
            return say(language, "plugins.none")
        off = await self._switches.off_in(viewer.chat)
        lines = [_line(each, language, is_off=switch_of(each.plugin.name) in off) for each in plugins]
        return "\n".join([say(language, "plugins.head"), *lines, say(language, "plugins.how")])

    async def switched(self, viewer: Viewer, name: str, language: str, *, is_on: bool) -> str:
        """Switch a plugin, or say which there are."""
        names = [each.plugin.name for each in self._manager.plugins]
        if name not in names:
            return say(language, "plugins.unknown", name=name, known=", ".join(names))
        await self._switches.switch(viewer.chat, switch_of(name), is_on=is_on)
        return say(language, "plugins.switched_on" if is_on else "plugins.switched_off", name=name)


def _line(each: Installed, language: str, *, is_off: bool) -> str:
    if each.plugin.error:
        return say(language, "plugins.broken", name=each.plugin.name)
    functions = ", ".join(spec.name for spec in each.tools)
    return say(language, "plugins.off" if is_off else "plugins.on", name=each.plugin.name, functions=functions)
