"""Write the people of a call as the message does, so that a name with an @ is a mention."""

import re
from typing import Final

_NAME: Final = re.compile(r"@?(?P<name>[^\s@,，、&+-]+)")


def as_written(person: str | None, text: str) -> str | None:
    """Return `person` with an @ in front of each name that has one in `text`, and without one in front of others."""
    plain = text.casefold()
    if not person or "@" not in plain + person:
        return person
    return _NAME.sub(lambda found: _as_mention(found, plain), person)


def _as_mention(found: re.Match[str], plain: str) -> str:
    mention = f"@{found['name']}"
    return mention if mention.casefold() in plain else found["name"]
