"""Send command menus to the platforms: the general commands, and one for each function."""

from collections.abc import Iterable

from bot.platforms.base import OffersCommands, Platform
from bot.platforms.kit.commands import MENU, function_commands
from function_calls.router import FunctionCallRouter
from function_calls.tools.permission import Viewer
from services.kernel.chat import ChatAddress, Person


async def offer_commands(platforms: Iterable[Platform], calls: FunctionCallRouter) -> None:
    """Let each of `platforms` show what anybody may call there; what needs rights can be typed all the same."""
    for platform in platforms:
        if isinstance(platform, OffersCommands):
            anybody = Viewer(person=Person(id="", name=""), chat=ChatAddress(platform=platform.name, chat_id=""))
            specs = await calls.list_specs(anybody)
            platform.offer((*MENU, *function_commands(specs, taken=MENU)))
