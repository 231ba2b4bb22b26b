"""The people and the files that a message names, as JSON text in its row; empty where there are none."""

import json
from collections.abc import Sequence

from services.chat import Attachment, Person
from services.history.finding import searched_text


def mentions_text(people: Sequence[Person]) -> str:
    """Pairs of id and name."""
    return json.dumps([[each.id, each.name] for each in people], ensure_ascii=False) if people else ""


def mentions_of(text: str) -> tuple[Person, ...]:
    """Return what `mentions_text` wrote."""
    return tuple(Person(id=identifier, name=name) for identifier, name in json.loads(text)) if text else ()


def attachments_text(attachments: Sequence[Attachment]) -> str:
    """Triples of kind, description and address."""
    kept = [[each.kind, each.description, each.url] for each in attachments]
    return json.dumps(kept, ensure_ascii=False) if kept else ""


def attachments_of(text: str) -> tuple[Attachment, ...]:
    """Return what `attachments_text` wrote."""
    if not text:
        return ()
    return tuple(Attachment(kind=kind, description=words, url=url) for kind, words, url in json.loads(text))


def searched_row_text(text: str, attachments: str) -> str:
    """Return what a row of the message table is found by."""
    return searched_text(text, attachments_of(attachments)) if attachments else text
