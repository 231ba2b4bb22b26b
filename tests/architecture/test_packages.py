"""The distributions that the specification names are required and used."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IMPORTED = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)
IN_CODE = ("apscheduler", "httpx", "loguru", "openai", "pydantic", "sqlmodel")
IN_TESTS = ("freezegun", "pytest")


def imported_under(*folders: str) -> set[str]:
    """Return the distributions that Python files in these folders import."""
    files = (file for folder in folders for file in (ROOT / folder).rglob("*.py"))
    return {package for file in files for package in IMPORTED.findall(file.read_text(encoding="utf-8"))}


@pytest.fixture(scope="module")
def project() -> dict:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def test_the_code_uses_its_packages_and_requires_them(project):
    required = " ".join(project["project"]["dependencies"])

    assert set(IN_CODE) <= imported_under("bot", "function_calls", "services")
    assert all(package in required for package in IN_CODE)


def test_the_tests_use_their_packages_and_require_them(project):
    required = " ".join(each for each in project["dependency-groups"]["dev"] if isinstance(each, str))

    assert set(IN_TESTS) <= imported_under("tests")
    assert all(package in required for package in IN_TESTS)
