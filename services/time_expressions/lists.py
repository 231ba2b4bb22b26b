"""Take a list of dates apart: Dec 5 and 8 at 10 are two times."""

import re
from collections.abc import Iterator

from services.time_expressions.gather import CLOCK_FIELDS, DAY_FIELDS, Group

_LISTED = DAY_FIELDS | CLOCK_FIELDS | {"strength", "zone"}


def apart(group: Group, text: str) -> Iterator[Group]:
    """`group`, or one for each of its days; each explains the words of its number, the last one all that follow."""
    days = group.slots.get("days", ())
    is_list = len(days) > 1 and len(group.spans) == 1 and group.slots.keys() <= _LISTED
    numbers = _numbers(days, text, *group.spans[0]) if is_list else []
    if len(numbers) < 2:
        yield group
        return
    begins, ends = group.spans[0]
    for place, (day, number) in enumerate(zip(days, numbers, strict=True)):
        is_last = place == len(days) - 1
        span = (number.start() if place else begins, ends if is_last else number.end())
        yield Group(slots={**group.slots, "days": (day,)}, spans=(span,))


def _numbers(days: tuple[int, ...], text: str, start: int, end: int) -> list[re.Match[str]]:
    """Where the figures of `days` stand, one behind the other; nothing where one of them is in words."""
    found: list[re.Match[str]] = []
    for day in days:
        number = re.compile(rf"(?<!\d){day}(?:st|nd|rd|th|日|号)?(?!\d)").search(text, start, end)
        if number is None:
            return []
        found.append(number)
        start = number.end()
    return found
