"""Check permissions for settings of a chat, and format the clock time of a zone."""

from zoneinfo import ZoneInfo

from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused


def check_may_set_for(whose: str, ctx: CallContext) -> None:
    """Allow people to change their own settings, and admins those of a group.

    Raises:
        RequestRefused: `admins_only`.
    """
    if whose == "chat" and not (ctx.sender.is_admin or ctx.message.is_private):
        raise RequestRefused("admins_only")


def clock_in(name: str, ctx: CallContext) -> str:
    """Return the current clock time in the zone."""
    return f"{ctx.clock.now().astimezone(ZoneInfo(name)):%H:%M}"
