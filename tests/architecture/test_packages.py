"""The distributions that the specification names are required and used."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
IMPORTED = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)
IN_CODE = ("apscheduler", "httpx", "loguru", "openai", "pydantic", "sqlmodel")
IN_TESTS = ("freezegun", "pytest")


def find_imports(*folders: str) -> set[str]:
    """Return the distributions that Python files in these folders import."""
    files = (file for folder in folders for file in (ROOT / folder).rglob("*.py"))
    return {package for file in files for package in IMPORTED.findall(file.read_text(encoding="utf-8"))}


@pytest.fixture(scope="module")
def project() -> dict:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def test_the_code_uses_its_packages_and_requires_them(project):
    required = " ".join(project["project"]["dependencies"])

    assert set(IN_CODE) <= find_imports("bot", "function_calls", "services")
    assert all(package in required for package in IN_CODE)


def test_the_tests_use_their_packages_and_require_them(project):
    required = " ".join(each for each in project["dependency-groups"]["dev"] if isinstance(each, str))

    assert set(IN_TESTS) <= find_imports("tests")
    assert all(package in required for package in IN_TESTS)


@pytest.mark.parametrize("lock", sorted(ROOT.glob("requirements*.lock.txt")), ids=lambda lock: lock.name)
def test_a_lock_file_has_everything_that_its_packages_require(lock):
    pinned = {
        canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", lock.read_text(encoding="utf-8"), re.MULTILINE)
    }

    missing = {
        str(each) for name in pinned for each in requirements_of(name) if canonicalize_name(each.name) not in pinned
    }

    assert pinned
    assert not missing  # `make install` installs it with --no-deps


def requirements_of(name: str, extras: frozenset[str] = frozenset()) -> list[Requirement]:
    """Return what an installed distribution requires on this machine, with the extras that it asks of others."""
    try:
        found = [Requirement(each) for each in requires(name) or ()]
    except PackageNotFoundError:  # of the servers, or of another platform
        return []
    own = [
        each
        for each in found
        if not each.marker or any(each.marker.evaluate({"extra": extra}) for extra in {"", *extras})
    ]
    return own + [inner for each in own if each.extras for inner in requirements_of(each.name, frozenset(each.extras))]
