"""Line lengths and links of pages, and the length of the changelog."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_LINE_LENGTH, MAX_CHANGELOG_LINE_LENGTH = 100, 150
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def list_tracked_files() -> list[str]:
    result = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in result.stdout.splitlines() if (ROOT / path).exists()]


FILES = list_tracked_files()
PAGES = [path for path in FILES if path.endswith(".md") and "/prompts/" not in path]
PLACES = {*FILES, *(parent.as_posix() for path in map(Path, FILES) for parent in path.parents)}


def long_lines(page: str) -> list[str]:
    """Return the lines that are too long, outside of tables and code; a word such as a link may be long itself."""
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [
        line
        for line in text.splitlines()
        if len(line) > MAX_LINE_LENGTH and not line.startswith("|") and " " in line.strip("- ")
    ]


@pytest.mark.parametrize("page", PAGES)
def test_lines_are_short(page):
    assert long_lines(page) == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_in_git(page):
    targets = LINK.findall((ROOT / page).read_text(encoding="utf-8"))
    places = [(ROOT / page).parent.joinpath(target).resolve() for target in targets]
    names = [place.relative_to(ROOT).as_posix() for place in places if place.is_relative_to(ROOT)]

    assert len(names) == len(places), "a link leads out of the repository"
    assert [name for name in names if name not in PLACES] == []


def test_changelog_is_short():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()

    assert len(lines) < MAX_CHANGELOG_LINE_LENGTH
