"""RRULE values of other calendars as rules that we keep."""

_DROPPED = frozenset({"BYSECOND=0", "RSCALE=GREGORIAN"})


def own_rule(rrule: str) -> str:
    """An RRULE value as our rules say it; a yearly date of the Chinese calendar becomes `LUNAR M-D`.

    Raises:
        ValueError: the rule belongs to a calendar or has a part that we do not know.

    Source: RFC 7529 section 4.
    """
    parts = dict(part.partition("=")[::2] for part in rrule.upper().split(";") if part not in _DROPPED)
    if "RSCALE" not in parts:
        return ";".join(f"{name}={value}" for name, value in parts.items())
    if parts.pop("RSCALE") != "CHINESE" or parts.pop("FREQ", "") != "YEARLY":
        raise ValueError("of RSCALE only yearly dates of the CHINESE calendar are kept")
    months, days = parts.pop("BYMONTH", ""), parts.pop("BYMONTHDAY", "")
    parts.pop("SKIP", None)
    if not months or not days or "L" in months or parts.pop("INTERVAL", "1") != "1":
        raise ValueError("a date of the Chinese calendar needs BYMONTH and BYMONTHDAY, and no leap month")
    named = [f"{month}-{'LAST' if day == '-1' else day}" for month in months.split(",") for day in days.split(",")]
    return ";".join([f"LUNAR {','.join(named)}", *(f"{name}={value}" for name, value in parts.items())])
