"""Declare accounts, the links between them and the interface of their store."""

from typing import Final

from msgspec import Struct

from services.kernel.chat import ChatAddress, Person
from services.kernel.state import Json


class Account(Struct, frozen=True, kw_only=True):
    """An account on one platform. `person_id` is stable there; `name` was visible when it was linked."""

    platform: str
    person_id: str
    name: str

    @classmethod
    def of(cls, address: ChatAddress, person: Person) -> "Account":
        """Return the account with which `person` speaks in a chat."""
        return cls(platform=address.platform, person_id=person.id, name=person.name)

    @property
    def key(self) -> str:
        """The account as settings name people: `platform:id`."""
        return f"{self.platform}:{self.person_id}"

    @property
    def person(self) -> Person:
        """The person on that platform; no rights go with it."""
        return Person(id=self.person_id, name=self.name)

    def as_json(self) -> Json:
        """Return the account as stored."""
        return {"platform": self.platform, "id": self.person_id, "name": self.name}


class Linked(Struct, frozen=True, kw_only=True):
    """The result of a redeemed code: `accounts` are one person; `giver` got the code in the private chat `told_in`."""

    accounts: tuple[Account, ...]
    giver: Account
    told_in: ChatAddress
    language: str


GROUP: Final = "group"
"""The key, in the scope of an account, of the group that it is linked in."""


def account_scope(account_key: str) -> str:
    """Return the scope in which an account has its group."""
    return f"account:{account_key}"


def group_scope(group: str) -> str:
    """Return the scope that has the accounts of a group by their keys."""
    return f"accounts:{group}"


def account_of(value: Json) -> Account | None:
    """Return an account out of a store; None when it is none."""
    if not isinstance(value, dict):
        return None
    platform, person_id, name = value.get("platform"), value.get("id"), value.get("name")
    if not (isinstance(platform, str) and isinstance(person_id, str) and isinstance(name, str)):
        return None
    return Account(platform=platform, person_id=person_id, name=name)
