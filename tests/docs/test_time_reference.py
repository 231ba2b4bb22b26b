"""Examples in docs/reference/time.md, compared with the reader."""

import re
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from services.time_expressions import parse

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "time.md").read_text(encoding="utf-8")
NOW = datetime(2026, 11, 20, 10, 0, tzinfo=ZoneInfo("Europe/London"))
EXAMPLES = re.findall(r"\| ([^|→]+) → ([^|]+) \|$", PAGE, re.MULTILINE)


def test_page_has_examples():
    assert len(EXAMPLES) > 15


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_example_is_read_as_the_page_says(text, expected):
    best = parse(text, NOW).best
    end = f"{best.start:%-d %B %Y %H:%M}"
    rule_end = re.search(r"UNTIL=(\d{8})", best.rrule or "")
    if rule_end:
        end = f"{date.fromisoformat(rule_end[1]):%-d %B %Y}"

    assert all(word in end.split() for word in expected.split())
