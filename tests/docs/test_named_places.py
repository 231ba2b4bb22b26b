"""The pages that say where things are name files and folders that there are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`((?:bot|function_calls|services|tests|docs|web)/[\w./-]+)`")


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/explanation/architecture.md"])
def test_every_place_that_is_named_is_there(page):
    named = NAMED.findall((ROOT / page).read_text(encoding="utf-8"))

    assert [place for place in named if not (ROOT / place).exists()] == []
    assert named
