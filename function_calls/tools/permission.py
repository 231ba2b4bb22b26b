"""Check the permission of people to list and call a tool, by person, chat and platform."""

from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from services.kernel.chat import ChatAddress, ChatMessage, Person

Permission = Literal["everyone", "admins", "owner"] | tuple[str, ...]
Scope = Literal["any", "group", "private"]


class Viewer(Struct, frozen=True, kw_only=True):
    """A person in a chat who lists and calls tools.

    `is_operator`: an admin of the bot itself, who has access to all sources of tools.
    """

    person: Person
    chat: ChatAddress
    is_private: bool = False
    is_operator: bool = False

    @classmethod
    def of(cls, message: ChatMessage) -> "Viewer":
        """Return the sender of `message` as viewer."""
        return cls(person=message.sender, chat=message.address, is_private=message.is_private)

    @property
    def key(self) -> str:
        """The person as `platform:id`, like in settings and declarations."""
        return f"{self.chat.platform}:{self.person.id}"


class AccessRule(Struct, frozen=True, kw_only=True):
    """The access rule of a tool.

    `permission` is everyone, the chat's admins (and the bot's owners), the bot's owners, or a list of people as
    `platform:id`. Empty `platforms` are all platforms.
    """

    permission: Permission = "everyone"
    scope: Scope = "any"
    platforms: tuple[str, ...] = ()


def refusal_code(rule: AccessRule, viewer: Viewer, owners: Collection[str] = ()) -> str | None:
    """Return the code of the refusal for `viewer`; None if permitted. `owners` are the bot's, as `platform:id`."""
    return _wrong_person(rule.permission, viewer, owners) or _wrong_place(rule, viewer)


def _wrong_person(permission: Permission, viewer: Viewer, owners: Collection[str]) -> str | None:
    if permission == "everyone":
        return None
    if permission == "owner":
        return None if viewer.key in owners else "owner_only"
    if permission == "admins":
        return None if viewer.person.is_admin or viewer.key in owners else "admins_only"
    return None if viewer.key in permission else "listed_only"


def _wrong_place(rule: AccessRule, viewer: Viewer) -> str | None:
    if rule.scope == "group" and viewer.is_private:
        return "group_only"
    if rule.scope == "private" and not viewer.is_private:
        return "private_only"
    if rule.platforms and viewer.chat.platform not in rule.platforms:
        return "other_platform"
    return None
