"""Compute the dates of movable holidays: lunar ones, Easter and days counted from it, solar terms."""

from collections.abc import Iterator
from datetime import date, timedelta

from services.kernel.lunar_calendar import LAST_DAY, dates_of
from services.time_expressions.values import Holiday

_FIRST_CENTURY, _LAST_CENTURY = 2000, 2099
_SUN_DAYS = {
    "xiaohan": (1, 5.4055),
    "dahan": (1, 20.12),
    "lichun": (2, 3.87),
    "yushui": (2, 18.73),
    "jingzhe": (3, 5.63),
    "spring_equinox": (3, 20.646),
    "qingming": (4, 4.81),
    "guyu": (4, 20.1),
    "lixia": (5, 5.52),
    "xiaoman": (5, 21.04),
    "mangzhong": (6, 5.678),
    "summer_solstice": (6, 21.37),
    "xiaoshu": (7, 7.108),
    "dashu": (7, 22.83),
    "liqiu": (8, 7.5),
    "chushu": (8, 23.13),
    "bailu": (9, 7.646),
    "autumn_equinox": (9, 23.042),
    "hanlu": (10, 8.318),
    "shuangjiang": (10, 23.438),
    "lidong": (11, 7.438),
    "xiaoxue": (11, 22.36),
    "daxue": (12, 7.18),
    "winter_solstice": (12, 21.94),
}
"""Month, and day in year 0 of the century, which moves by 0.2422 a year and back by a day in each leap year."""
_BEFORE_LEAP_DAY = 2
_CORRECTIONS = {
    ("yushui", 2026): -1,
    ("xiaoman", 2008): 1,
    ("xiaoshu", 2016): 1,
    ("liqiu", 2002): 1,
    ("shuangjiang", 2089): 1,
    ("lidong", 2089): 1,
    ("winter_solstice", 2021): -1,
    ("xiaohan", 2019): -1,
    ("dahan", 2082): 1,
}


def holiday_dates(holiday: Holiday, year: int) -> Iterator[date]:
    """Yield the dates of `holiday` in the civil `year` in order."""
    found: list[date] = []
    if holiday.kind == "lunar":
        found = [
            day for month, number in holiday.days for past in (1, 0) for day in dates_of(month, number, year - past)
        ]
    elif holiday.kind == "easter":
        from dateutil.easter import easter

        found = [easter(year) + timedelta(days=holiday.days[0][0])]
    elif _FIRST_CENTURY <= year <= _LAST_CENTURY:
        found = [_sun_day(holiday.kind, year)]
    yield from sorted({day for day in found if day.year == year})


def lunar_rule(holiday: Holiday) -> str:
    """Return the rule of a lunar holiday for reminders: `LUNAR 8-15`, `LUNAR *-1,*-15`, `LUNAR 12-LAST`."""
    days = (f"{month or '*'}-{'LAST' if number >= LAST_DAY else number}" for month, number in sorted(holiday.days))
    return f"LUNAR {','.join(days)}"


def _sun_day(name: str, year: int) -> date:
    """Return the date of a solar term. Source: century constants of the Chinese calendar, valid from 2000 to 2099."""
    month, base = _SUN_DAYS[name]
    rest = year % 100
    leaps = (rest - (month <= _BEFORE_LEAP_DAY)) // 4
    return date(year, month, int(0.2422 * rest + base) - leaps + _CORRECTIONS.get((name, year), 0))
