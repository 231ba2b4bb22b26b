"""Who may see and call the tools of a source: everybody, nobody but its owner, or the people and chats it names."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from function_calls.permission import Viewer
from services.session import Json


class Access(Struct, frozen=True, kw_only=True):
    """Who may use a source of tools.

    `people` are named as `platform:id`, `chats` (the groups that a tool is shared with) as `platform:id` of the chat.
    The `owner`, and the bot's owners, may always. Admins of a chat may use what is shared with that chat.
    """

    is_public: bool = True
    people: frozenset[str] = frozenset()
    chats: frozenset[str] = frozenset()
    owner: str = ""

    @classmethod
    def of(cls, written: object, owner: str = "") -> "Access":
        """As it is written in JSON: null is public, `{}` private, else `{"read": {"user_ids": …, "group_ids": …}}`.

        What is none of these admits nobody but the owners. Source: the `access_control` of Open WebUI.
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
        """Whether `viewer` may see and call; `owners` are the bot's, as `platform:id`."""
        if self.is_public or viewer.key in owners:
            return True
        return viewer.key in self.people or viewer.key == self.owner or viewer.chat.key in self.chats

    def written(self) -> Json:
        """The same in JSON."""
        if self.is_public:
            return None
        if not (self.people or self.chats):
            return {}
        return {"read": {"user_ids": [*sorted(self.people)], "group_ids": [*sorted(self.chats)]}}


def _texts(value: object) -> frozenset[str]:
    return frozenset(str(each) for each in value) if isinstance(value, list) else frozenset()
