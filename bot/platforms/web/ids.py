"""Build message ids from the client's ids, so that a repeated message is recognised."""

import re
from hashlib import sha256
from typing import Final

from services.kernel.chat import Person

SESSION: Final = re.compile(r"[\w-]{1,64}")
_MESSAGE: Final = re.compile(r"(?P<client>[A-Za-z0-9_-]{1,64})\.[0-9a-f]{8}")
LONGEST_NAME: Final = 40


def message_id(client_id: str, person: Person) -> str:
    """Return the id of what `person` sent as `client_id`; two people may use the same."""
    return f"{client_id}.{sha256(person.id.encode()).hexdigest()[:8]}"


def client_id_of(identifier: str) -> str | None:
    """Return the client's own id of a message; None for one that the bot said."""
    found = _MESSAGE.fullmatch(identifier)
    return None if found is None else found["client"]


def person_called(name: str, *, is_admin: bool = False) -> Person:
    """Somebody who is known by a name only: the same name is the same person.

    Raises:
        ValueError: that is no name.
    """
    shown = " ".join(name.split())
    if not shown or len(shown) > LONGEST_NAME or not shown.isprintable():
        raise ValueError(f"a name has 1 to {LONGEST_NAME} characters")
    return Person(id=shown.casefold().replace(" ", "-"), name=shown, is_admin=is_admin)
