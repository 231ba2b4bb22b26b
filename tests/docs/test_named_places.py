"""Files, folders and modules named on pages, which must exist."""

import re
from pathlib import Path

import pytest

from bot.config.editor import FIXED_KEYS

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "tests", "benchmarks")
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        ROOT / "web" / "README.md",
        *(page for name in FOLDERS for page in (ROOT / name).rglob("*.md")),
    ]
)
PATH = re.compile(r"`((?:bot|function_calls|services|tests|docs|web|benchmarks|examples)/[\w./-]+)`")
MODULE = re.compile(r"`((?:bot|function_calls|services)(?:\.(?!py`)[a-z]\w*)+)(?:\.[A-Z]\w*)?`")
EXAMPLES = {"bot/platforms/NAME", "tests/browser/shots"}  # a placeholder, and a folder that tests create
SETTINGS = re.compile(r"bot\.(owners|data_dir|stall_seconds|settings_file|timezone|language|name)")


def is_module(name: str) -> bool:
    """Return whether `name` is a module, a package, or a name defined in one."""
    place = ROOT.joinpath(*name.split("."))
    outer, inner = place.parent, place.name
    defining = outer.with_suffix(".py") if outer.with_suffix(".py").exists() else outer / "__init__.py"
    return (
        place.is_dir()
        or place.with_suffix(".py").exists()
        or (defining.exists() and re.search(rf"\b{inner}\b", defining.read_text(encoding="utf-8")) is not None)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_places_exist(page):
    text = page.read_text(encoding="utf-8")

    assert [place for place in PATH.findall(text) if not (ROOT / place).exists() and place not in EXAMPLES] == []
    assert [name for name in MODULE.findall(text) if not is_module(name) and not SETTINGS.fullmatch(name)] == []


def test_missing_module_is_detected():
    assert is_module("bot.app.application.build_app")
    assert not is_module("bot.app.application.build_nothing")
    assert not is_module("bot.nowhere.module")


def test_settings_that_the_page_cannot_change_are_named():
    page = (ROOT / "docs" / "how-to" / "set-up-in-the-browser.md").read_text(encoding="utf-8")

    assert [key for key in FIXED_KEYS if f"`{key}`" not in page] == []
    assert "[nine settings]" in page
    assert len(FIXED_KEYS) == 9
