"""Convert dates of the Chinese lunar calendar to the civil one, with a table of month lengths."""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

FIRST_YEAR = 1900
LAST_YEAR = 2100
LAST_DAY = 30
"""The number for the last day of a lunar month, which has 29 or 30 days."""

_FIRST_NEW_YEAR = date(1900, 1, 31)
_MAX_MONTHS = 13
# One number per year: 13 bits, from the left, for months with 30 days; above them the number of the leap month.
# Source: the calendar of the Purple Mountain Observatory (GB/T 33661-2017), as the library `borax` computes it.
_YEARS = """
1096d 0095c 014ae 0aa4d 01a4c 01b2a 08d55 00ad4 0135a 0495d 0095c 0d49b 0149a 01a4a 0baa5 016a8 01ad4 052da 012b6 0e937
0092e 01496 0b64b 00d4a 00da8 095b5 0056c 012ae 0492f 0092e 0cc96 01a94 01d4a 0ada9 00b5a 0056c 0726e 0125c 0f92d 0192a
01a94 0db4a 016aa 00ad4 0955b 004ba 0125a 0592b 0152a 0f695 00d94 016aa 0aab5 009b4 014b6 06a57 00a56 1152a 01d2a 00d54
0d5aa 0156a 0096c 094ae 014ae 00a4c 07d26 01b2a 0eb55 00ad4 012da 0a95d 0095a 0149a 09a4d 01a4a 11aa5 016a8 016d4 0d2da
012b6 00936 09497 01496 1564b 00d4a 00da8 0d5b4 0156c 012ae 0a92f 0092e 00c96 06d4a 01d4a 10d65 00b58 0156c 0b26d 0125c
0192c 09a95 01a94 01b4a 04b55 00ad4 0f55b 004ba 0125a 0b92b 0152a 01694 096aa 015aa 12ab5 00974 014b6 0ca57 00a56 01526
08e95 00d54 015aa 049b5 0096c 0d4ae 0149c 01a4c 0bd26 01aa6 00b54 06d6a 012da 1695d 0095a 0149a 0da4b 01a4a 01aa4 0bb54
016b4 00ada 0495b 00936 0f497 01496 0154a 0b6a5 00da4 015b4 06ab6 0126e 1092f 0092e 00c96 0cd4a 01d4a 00d64 0956c 0155c
0125c 0792e 0192c 0fa95 01a94 01b4a 0ab55 00ad4 014da 08a5d 00a5a 1152b 0152a 01694 0d6aa 015aa 00ab4 094ba 014b6 00a56
07527 00d26 0ee53 00d54 015aa 0a9b5 0096c 014ae 08a4e 01a4c 11d26 01aa4 01b54 0cd6a 00ada 0095c 0949d 0149a 01a2a 05b25
01aa4
"""


class LunarMonth(NamedTuple):
    """A month of the lunar calendar, with its first day in the civil calendar and its length in days."""

    begins: date
    number: int
    length: int
    is_leap: bool


def lunar_months(year: int) -> list[LunarMonth]:
    """Return the months of the lunar year that begins in the civil `year`; empty outside of 1900 to 2100."""
    found = _calendar()
    return found[year - FIRST_YEAR] if FIRST_YEAR <= year < FIRST_YEAR + len(found) else []


def dates_of(month: int, day: int, year: int) -> Iterator[date]:
    """Yield the civil dates of a lunar `day` in lunar `year`; month 0 is every month, others exclude the leap month."""
    for lunar_month in lunar_months(year):
        if month in {0, lunar_month.number} and not (month and lunar_month.is_leap):
            yield lunar_month.begins + timedelta(days=min(day, lunar_month.length) - 1)


@cache
def _calendar() -> list[list[LunarMonth]]:
    years: list[list[LunarMonth]] = []
    begins = _FIRST_NEW_YEAR
    for code in _YEARS.split():
        leap, lengths = divmod(int(code, 16), 1 << _MAX_MONTHS)
        numbers = [number for number in range(1, 13) for _ in range(1 + (number == leap))]
        months: list[LunarMonth] = []
        for place, number in enumerate(numbers):
            length = 29 + (lengths >> (_MAX_MONTHS - 1 - place) & 1)
            is_leap = place > 0 and numbers[place - 1] == number
            months.append(LunarMonth(begins, number, length, is_leap))
            begins += timedelta(days=length)
        years.append(months)
    return years
