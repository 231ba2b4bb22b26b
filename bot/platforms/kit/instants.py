"""Parse the timestamps of platforms."""

from datetime import UTC, datetime


def instant(seconds: float | str) -> datetime:
    """`seconds` since 1970 as an instant in UTC; 1970 where that is no time that a calendar has.

    Servers, and in federated networks anybody's server, may write anything: it must not end the connection.
    """
    try:
        return datetime.fromtimestamp(float(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def instant_of_milliseconds(milliseconds: float | str) -> datetime:
    """Return the same of thousandths of a second."""
    try:
        return instant(float(milliseconds) / 1000)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)
