"""Who may call a tool and where: one rule for listing tools and for calling them."""

from typing import Literal

from services.chat import Person

Permission = Literal["everyone", "admins"]
Scope = Literal["any", "group", "private"]


def refusal_code(permission: Permission, scope: Scope, *, person: Person, is_private: bool) -> str | None:
    """Why `person` may not call the tool in this kind of chat, as a code of the wording; None when they may."""
    if permission == "admins" and not person.is_admin:
        return "admins_only"
    if scope == "group" and is_private:
        return "group_only"
    if scope == "private" and not is_private:
        return "private_only"
    return None
