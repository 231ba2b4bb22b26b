"""Names of the code, compared with the glossary."""

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
REPLACED, STILL_USED = DATA["replaced"], DATA["still_used"]
IRREGULAR, OTHERS, USED_PARTICIPLES = (
    set(DATA["participles"][kind].split()) for kind in ("irregular", "others", "still_used")
)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
TEXT = re.compile(r'"""[\s\S]*?"""|#.*')
DEFINITION = re.compile(
    r"\b(?:def|class|as) (\w+)"
    r"|\b(\w+)(?=: )"  # arguments and fields: all of them are annotated
    r"|^ *(?:self\.)?(\w+) = "
    r"|\b(\w+) :?= "
    r"|\bfor (\w+)(?:, (\w+))?(?:, (\w+))? in ",
    re.MULTILINE,
)
TEST = re.compile(r"def (test_\w+)")
RIDDLE = re.compile(  # noun clauses, and words of the left column of the glossary
    r"^test_(what|who|whoever|whatever|where|that|which|whose)_"
    r"|_(said_to|was_said|is_said|are_said|heard|mended|spoken|door|shelf|deaf|purse|courier|whispered|parked)(_|$)"
)
FUNCTION = re.compile(r"((?:^ *@.*\n)*)^ *(?:async )?def (\w+)", re.MULTILINE)


def split(name: str) -> str:
    """Return the lower-case words of `toolShelf` or `tool_shelf`: ` tool shelf `."""
    return f" {' '.join(WORD.findall(name)).lower()} "


@cache
def sources() -> dict[Path, str]:
    """Return the source of each module without docstrings and comments."""
    result = subprocess.run(
        ["git", "ls-files", "bot", "function_calls", "services"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = (Path(path) for path in result.stdout.split() if path.endswith(".py") and (ROOT / path).exists())
    return {path: TEXT.sub("", (ROOT / path).read_text(encoding="utf-8")) for path in paths}


@cache
def defined_names() -> frozenset[tuple[str, Path, str]]:
    """Return each name that a module defines, split into words; its own name and its folders belong to it."""
    found = set()
    for path, source in sources().items():
        if path.parts[:2] == ("function_calls", "understanding"):
            continue  # its local variables still have replaced names
        defined = {name for names in DEFINITION.findall(source) for name in names if not name.startswith("test_")}
        found |= {(split(name), path, name) for name in (*defined, path.stem, *path.parent.parts) if name}
    return frozenset(found)


def has_name(entry: str, words: str) -> bool:
    return words == split(entry) if entry.startswith("=") else split(entry) in words


def is_participle(word: str) -> bool:
    return word in IRREGULAR or (word.endswith(("ed", "ing")) and word not in OTHERS)


@pytest.mark.parametrize("entry", REPLACED)
def test_replaced_name_is_not_used(entry):
    found = sorted(f"{path}: {name}" for words, path, name in defined_names() if has_name(entry, words))

    assert len(found) <= STILL_USED.get(entry, 0), f"use {REPLACED[entry]!r} instead: {found}"


def test_exceptions_are_entries():
    assert set(STILL_USED) <= set(REPLACED)


def test_functions_are_not_named_by_new_participles():
    found = {
        f"{path}: {name}"
        for path, source in sources().items()
        for decorators, name in FUNCTION.findall(source)
        if not name.startswith("__") and "property" not in decorators
        if is_participle(first := split(name).split()[0]) and first not in USED_PARTICIPLES
    }

    assert found == set(), "name a function by an imperative verb, or as a question (is_, has_, can_)"


def test_tests_are_named_by_behaviour():
    result = subprocess.run(["git", "ls-files", "tests"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / path for path in result.stdout.split() if path.endswith(".py") and (ROOT / path).exists()]
    names = {name for path in paths for name in TEST.findall(path.read_text(encoding="utf-8"))}

    assert {name for name in names if RIDDLE.search(name)} == set(), "begin with the subject: test_sent_message_…"


def test_names_are_matched_by_whole_words():
    assert split("_ToolShelf2_of") == " tool shelf 2 of "
    assert has_name("shelf", split("ToolShelf"))
    assert not has_name("ear", split("clear_year"))
    assert not has_name("=kept", split("kept_tools"))
