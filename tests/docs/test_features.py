"""Tests named for each feature in tests/features.md, and for each hazard of external tools, which must exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "tests" / "features.md"
TRAPS = ROOT / "docs" / "reference" / "external-tools.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows_of(page: Path) -> list[str]:
    """Yield the rows of a page's tables that name tests."""
    return [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ") and "::" in line]


def name_of(row: str) -> str:
    """Return the words of a row before its tests."""
    return " ".join(row.partition("`tests/")[0].strip("| ").split())[:60]


ROWS = rows_of(PAGE)


@cache
def names_in(path: Path) -> frozenset[str]:
    """Return the names of the test functions in a file without running it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in functions if node.name.startswith("test_"))


def test_the_table_has_a_row_for_each_feature():
    assert len(ROWS) >= 150


def test_the_specification_has_its_35_rows():
    firsts = (row.split("|")[1].strip() for row in ROWS)

    assert [int(number) for number in firsts if number.isdigit()] == [*range(1, 36)]


@pytest.mark.parametrize("row", [*ROWS, *rows_of(TRAPS)], ids=name_of)
def test_every_row_names_tests_that_exist(row):
    named = NAMED.findall(row)

    assert named
    missing = [f"{path}::{name}" for path, name in named if not is_there(ROOT / path, name)]
    assert missing == []


def is_there(path: Path, name: str) -> bool:
    return path.is_file() and name in names_in(path)


def test_missing_test_is_detected():
    assert not is_there(Path(__file__), "test_that_nobody_wrote")
    assert not is_there(ROOT / "tests" / "nowhere.py", "test_anything")
