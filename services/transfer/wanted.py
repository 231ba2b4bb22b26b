"""Whose data an export holds."""

from msgspec import Struct


class Wanted(Struct, frozen=True, kw_only=True):
    """Chats and people, each as `platform:id`. Of a person: what is theirs in every chat of the platform."""

    chats: tuple[str, ...] = ()
    people: tuple[str, ...] = ()

    def has_person(self, chat_key: str, person_id: str) -> bool:
        """Return whether a person who is known by this id in a chat is wanted."""
        return f"{chat_key.partition(':')[0]}:{person_id}" in self.people

    def has_scope(self, scope: str) -> bool:
        """True where a scope of lasting values is theirs.

        The zone of a chat, a session, what a person has everywhere.
        """
        what, _, rest = scope.partition(":")
        if what == "session":
            chat_key, _, person_id = rest.rpartition("#")
            return chat_key in self.chats or self.has_person(chat_key, person_id)
        return (what == "zone" and rest in self.chats) or (what == "user" and rest in self.people)
