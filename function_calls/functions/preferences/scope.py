"""Who may change the settings of a chat, and the clock of a zone as people read it."""

from zoneinfo import ZoneInfo

from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused


def check_may_set_for(whose: str, ctx: CallContext) -> None:
    """Let people decide for themselves, and admins for a group.

    Raises:
        RequestRefused: `admins_only`.
    """
    if whose == "chat" and not (ctx.sender.is_admin or ctx.message.is_private):
        raise RequestRefused("admins_only")


def clock_in(name: str, ctx: CallContext) -> str:
    """Return what the clocks show there now."""
    return f"{ctx.clock.now().astimezone(ZoneInfo(name)):%H:%M}"
