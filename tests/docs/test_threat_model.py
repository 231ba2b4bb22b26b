"""Settings, defaults and tests named in docs/explanation/threat-model.md, which must exist."""

import re
from pathlib import Path

import pytest

from bot.config.settings import Settings
from tests.docs.test_features import is_there

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "threat-model.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if "::test_" in line]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("| ")[:50])
def test_every_limit_has_an_existing_test(row):
    path, name = re.search(r"`(tests/[\w/]+\.py)::(test_\w+)`", row[3]).groups()

    assert is_there(ROOT / path, name)


@pytest.mark.parametrize("row", [row for row in ROWS if "`" in row[2]], ids=lambda row: row[2])
def test_every_limit_that_can_be_set_has_the_default_of_the_page(row):
    numbers = [float(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", row[1])]
    scale = {"MB": 1000.0}.get(row[1].split()[-1], 1.0)
    for setting, number in zip(re.findall(r"`(\w+\.\w+)`", row[2]), numbers, strict=False):
        group, key = setting.split(".")
        factor = 1.0 if key.endswith("megabytes") else scale

        assert getattr(getattr(Settings(), group), key) == number * factor
