"""Time zones as people read them, and who may set one for a whole chat."""

import re
from zoneinfo import ZoneInfo

from function_calls.context import CallContext
from services.kernel.errors import RequestRefused

_OFFSET = re.compile(r"Etc/GMT([+-])(\d+)")


def zone_label(name: str) -> str:
    """The name of a zone; an offset with the sign that people know: `Etc/GMT-8` is UTC+8."""
    found = _OFFSET.fullmatch(name)
    if found is None:
        return name
    return f"UTC{'-' if found[1] == '+' else '+'}{found[2]}"


def clock_in(name: str, ctx: CallContext) -> str:
    """Return what the clocks show there now."""
    return f"{ctx.clock.now().astimezone(ZoneInfo(name)):%H:%M}"


def check_may_set_for(whose: str, ctx: CallContext) -> None:
    """Let people decide for themselves, and admins for a group.

    Raises:
        RequestRefused: `admins_only`.
    """
    if whose == "chat" and not (ctx.sender.is_admin or ctx.message.is_private):
        raise RequestRefused("admins_only")
