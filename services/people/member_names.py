"""Find the members of a chat that a name in a request refers to."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from services.kernel.chat import Person

_NAME_ONLY: Final = "name:"


def unresolved_person(name: str) -> Person:
    """Return a person with a name only, who is not notified."""
    return Person(id=f"{_NAME_ONLY}{fold_name(name)}", name=name)


def is_unresolved(person: Person) -> bool:
    """Return whether `person` is a name without an account."""
    return person.id.startswith(_NAME_ONLY)


def is_username_only(person: Person) -> bool:
    """Return whether `person` is an @ and a user name whose account is unknown."""
    return person.id == f"@{person.name}"


def resolve_account(person: Person, people: Iterable[Person]) -> Person:
    """Return the latest of `people` with the user name of `person`; else `person`."""
    if not is_username_only(person):
        return person
    wanted = fold_name(person.name)
    return next((candidate for candidate in reversed(tuple(people)) if fold_name(candidate.username) == wanted), person)


def target_ids(person: Person) -> frozenset[str]:
    """Return the target ids of reminders for `person`: their id, and that of a name equal to their id.

    On IRC the nickname is the id, so this finds a person who was unknown when the reminder was created.
    """
    return frozenset({person.id, unresolved_person(person.id).id})


def find_people(words: str, people: Iterable[Person]) -> tuple[Person, ...]:
    """Return the people, without bots, whose id is `words`, else whose handle or name, else whose first name."""
    wanted = fold_name(words)
    candidates = _accounts(people)
    for is_match in (_has_id, _has_handle_or_name, _has_first_name):
        found = tuple(person for person in candidates if wanted and is_match(person, wanted))
        if found:
            return found
    return ()


def _accounts(people: Iterable[Person]) -> tuple[Person, ...]:
    """Return each person once with their latest name and user name; drop bare user names of known accounts."""
    found: dict[str, Person] = {}
    for person in people:
        if not person.is_bot:
            earlier = found.get(person.id, person)
            found[person.id] = person if person.username else replace(person, username=earlier.username)
    known = {fold_name(person.username) for person in found.values()}
    return tuple(
        candidate
        for candidate in found.values()
        if not (is_username_only(candidate) and fold_name(candidate.name) in known)
    )


def fold_name(name: str) -> str:
    """Normalise a name for comparison: case, a leading @, and `_` instead of spaces."""
    return " ".join(name.casefold().lstrip("@").replace("_", " ").split())


def _has_id(person: Person, wanted: str) -> bool:
    return fold_name(person.id) == wanted


def _has_handle_or_name(person: Person, wanted: str) -> bool:
    # The part in front of the server: @bob:example.org on Matrix, bob@example.org on XMPP, ~bob on IRC.
    handle = fold_name(person.id.lstrip("@~")).partition("@")[0].partition(":")[0]
    return wanted in {handle, fold_name(person.username), fold_name(person.name)}


def _has_first_name(person: Person, wanted: str) -> bool:
    return fold_name(person.name).partition(" ")[0] == wanted
