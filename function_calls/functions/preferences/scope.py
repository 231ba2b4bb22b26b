"""Check the permission to change settings of a chat."""

from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused


def check_may_set_for(whose: str, ctx: CallContext) -> None:
    """Allow people to change their own settings, and admins those of a group.

    Raises:
        RequestRefused: `admins_only`.
    """
    if whose == "chat" and not (ctx.sender.is_admin or ctx.message.is_private):
        raise RequestRefused("admins_only")
