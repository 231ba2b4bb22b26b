"""The number of entries in each package."""

import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "function_calls", "services")
MAX_ENTRIES, MAX_MODULES = 12, 16
# Packages that are still larger; a number here may only fall.
LARGER = {
    "bot/platforms": 14,
    "function_calls": 13,
}


def entries() -> dict[str, set[str]]:
    """Return the modules and packages of each package, without `__init__.py`."""
    files = subprocess.run(["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=True)
    found = defaultdict(set)
    for path in map(Path, files.stdout.split()):
        if path.suffix == ".py" and path.name != "__init__.py":
            for inner, outer in zip((path, *path.parents), path.parents, strict=False):
                found[outer.as_posix()].add(inner.name)
    found.pop(".", None)
    return dict(found)


ENTRIES = entries()
MAX_SHORT_PERCENT = 9  # of the modules have under 50 lines; the number may only fall


@pytest.mark.parametrize("package", sorted(ENTRIES))
def test_package_has_few_entries(package: str):
    is_leaf = all(each.endswith(".py") for each in ENTRIES[package])
    limit = LARGER.get(package, MAX_MODULES if is_leaf else MAX_ENTRIES)

    assert len(ENTRIES[package]) <= limit, f"split or merge modules of {package}"


def test_larger_packages_are_listed_with_their_size():
    assert {name: len(ENTRIES[name]) for name in LARGER} == LARGER


def test_folders_of_unit_tests_have_few_modules():
    tests = (ROOT / "tests" / "unit").rglob("test_*.py")
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in tests)

    assert {name: count for name, count in counts.items() if count > MAX_MODULES} == {}


def test_few_modules_are_short():
    modules = [ROOT / package / name for package, names in ENTRIES.items() for name in names if name.endswith(".py")]
    short = [path for path in modules if path.exists() and path.read_text(encoding="utf-8").count("\n") < 50]

    assert 100 * len(short) / len(modules) <= MAX_SHORT_PERCENT, "merge a short module into the one that uses it"
