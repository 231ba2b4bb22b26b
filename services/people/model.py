"""Declare accounts, the links between them and the interface of their store."""

from typing import Final

from msgspec import Struct, ValidationError, convert, to_builtins

from services.kernel.chat import ChatAddress, Person
from services.kernel.state import Json


class Account(Struct, frozen=True, kw_only=True, rename={"person_id": "id"}):
    """An account on a platform. `person_id` is stable; `name` is that at the time of the link."""

    platform: str
    person_id: str
    name: str

    @classmethod
    def of(cls, address: ChatAddress, person: Person) -> "Account":
        """Return the account of `person` in a chat."""
        return cls(platform=address.platform, person_id=person.id, name=person.name)

    @property
    def key(self) -> str:
        """The account in the form of the settings: `platform:id`."""
        return f"{self.platform}:{self.person_id}"

    @property
    def person(self) -> Person:
        """The person on that platform, without any rights."""
        return Person(id=self.person_id, name=self.name)

    def as_json(self) -> Json:
        """Return the stored form of the account."""
        stored: Json = to_builtins(self)
        return stored


class LinkResult(Struct, frozen=True, kw_only=True):
    """The result of a redeemed code: the linked `accounts`; `holder` got the code in the private chat `issued_in`."""

    accounts: tuple[Account, ...]
    holder: Account
    issued_in: ChatAddress
    language: str


GROUP: Final = "group"
"""The key of an account's group id in the scope of the account."""


def account_scope(account_key: str) -> str:
    """Return the scope with the group id of an account."""
    return f"account:{account_key}"


def group_scope(group: str) -> str:
    """Return the scope with the accounts of a group by their keys."""
    return f"accounts:{group}"


def account_of(value: Json) -> Account | None:
    """Parse a stored account; None if `value` is not one."""
    try:
        return convert(value, Account)
    except ValidationError:
        return None
