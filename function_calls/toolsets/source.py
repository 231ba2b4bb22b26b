"""Define sources of tools, with their health and access rules."""

from collections.abc import Callable, Collection, Mapping
from typing import Final, Literal

from msgspec import Struct, field

from function_calls.language.messages import Message
from function_calls.tools.calls import ToolSpec
from function_calls.tools.permission import Viewer
from function_calls.tools.toolset import Toolset
from function_calls.toolsets.wrappers import FilteredToolset
from services.kernel.state import Json

_RIGHTS: Final = frozenset({"read", "write"})
_LISTS: Final = frozenset({"user_ids", "group_ids"})
EVERYBODY: Final = "*"
SourceKind = Literal["local", "openapi", "mcp", "python", "direct", "plugin", "skill"]


class AccessInvalid(ValueError):
    """An access rule is invalid; the text has the place and the valid form."""


class Access(Struct, frozen=True, kw_only=True):
    """The access rule of a source of tools.

    `people` and `chats` (the groups that a tool is shared with) are `platform:id`. The `owner` and the bot's owners
    always have access. Admins of a chat have access to tools shared with that chat.
    """

    is_public: bool = True
    people: frozenset[str] = frozenset()
    chats: frozenset[str] = frozenset()
    owner: str = ""

    @classmethod
    def of(cls, written: object, owner: str = "") -> "Access":
        """Parse a rule in JSON: null is public, `{}` private, else `{"read": {"user_ids": …, "group_ids": …}}`.

        Any other value admits only owners. Source: the `access_control` of Open WebUI.
        """
        if written is None:
            return cls(owner=owner)
        read = written.get("read") if isinstance(written, Mapping) else None
        listed = read if isinstance(read, Mapping) else {}
        return cls(
            is_public=False,
            people=_texts(listed.get("user_ids")),
            chats=_texts(listed.get("group_ids")),
            owner=owner,
        )

    def admits(self, viewer: Viewer, owners: Collection[str] = ()) -> bool:
        """Return whether `viewer` may see and call; `owners` are the bot's, as `platform:id`."""
        if self.is_public or viewer.is_operator or viewer.key in owners:
            return True
        return viewer.key in self.people or viewer.key == self.owner or viewer.chat.key in self.chats


def check_access(written: object) -> None:
    """Check the form of an `access_control`: null, `{}` or `{"read": {"user_ids": […], "group_ids": […]}}`.

    Raises:
        AccessInvalid: it has another form, or an id in a form that matches nobody.
    """
    if written is None:
        return
    for right, listed in _members(written, _RIGHTS, "").items():
        for key, ids in _members(listed, _LISTS, right).items():
            if not isinstance(ids, list) or not all(map(_is_address, ids)):
                raise AccessInvalid(f"{right}.{key} must be a list of texts such as telegram:12 (platform:id)")


def access_of_grants(grants: object) -> Json:
    """Convert `access_grants` of Open WebUI to an `access_control`; `[]` admits admins only.

    Raises:
        AccessInvalid: a grant has another form than `{"principal_type", "principal_id", "permission"}`.
    """
    if not isinstance(grants, list):
        raise AccessInvalid("access_grants must be a list")
    ids: dict[str, list[Json]] = {"user": [], "group": []}
    for place, grant in enumerate(grants):
        given = grant if isinstance(grant, Mapping) else {}
        kind, principal = given.get("principal_type"), given.get("principal_id")
        if kind not in ids or given.get("permission") not in _RIGHTS or not isinstance(principal, str):
            raise AccessInvalid(f"access_grants.{place} needs principal_type, principal_id and permission")
        if kind == "user" and principal == EVERYBODY and given["permission"] == "read":
            return None
        if given["permission"] == "read":
            ids[str(kind)].append(principal)
    written: Json = {"read": {"user_ids": ids["user"], "group_ids": ids["group"]}} if any(ids.values()) else {}
    check_access(written)
    return written


def _members(written: object, known: Collection[str], where: str) -> Mapping[str, object]:
    if not isinstance(written, Mapping) or not set(written) <= set(known):
        place = f"{where} " if where else ""
        raise AccessInvalid(f"{place}must be an object with {' and '.join(sorted(known, reverse=True))} only")
    return written


def _is_address(identifier: object) -> bool:
    if not isinstance(identifier, str):
        return False
    platform, _, identity = identifier.partition(":")
    return bool(platform.strip() and identity.strip())


def _texts(value: object) -> frozenset[str]:
    return frozenset(str(element) for element in value) if isinstance(value, list) else frozenset()


class Health(Struct, frozen=True, kw_only=True):
    """The health of a source; `detail` describes the problem, or the source.

    `is_final`: the health does not change until the settings do.
    """

    is_ok: bool = True
    detail: Message | str = ""
    is_final: bool = False


class ToolSource(Struct, frozen=True, kw_only=True):
    """A source of tools. `label` is the prefix of its tools in a name clash."""

    label: str
    kind: SourceKind
    toolset: Toolset
    title: str = ""
    access: Access = field(default_factory=Access)
    health: Callable[[], Health] = Health

    def restrict(self, owners: Collection[str] = ()) -> Toolset:
        """Return the toolset, limited to viewers with access for listing and for calls."""

        def keep(spec: ToolSpec, viewer: Viewer) -> bool:
            del spec
            return self.access.admits(viewer, owners)

        return FilteredToolset(self.toolset, keep)
