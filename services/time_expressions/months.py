"""The lengths of months, without the time that importing `calendar` takes."""

_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FEBRUARY = 2


def days_in_month(year: int, month: int) -> int:
    """Return how many days `month`, 1 to 12, has in `year` of the Gregorian calendar."""
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _LENGTHS[month - 1] + (is_leap and month == _FEBRUARY)
