"""Texts of the page in every language, with the same keys and placeholders."""

import json
import re
from pathlib import Path

import pytest

LANGUAGES = Path(__file__).parents[2] / "web" / "src" / "language"
CODES = sorted(path.parent.name for path in LANGUAGES.glob("*/locale.json"))
PLACEHOLDER = re.compile(r"\{(\w+)\}")
PLURAL_CATEGORIES = {"zero", "one", "two", "few", "many", "other"}


def flatten(value: object, key: str) -> dict[str, list[str]]:
    """Return the texts of a file by their keys; the forms of a plural and the items of a list are one entry."""
    if isinstance(value, str):
        return {key: [value]}
    if isinstance(value, list):
        return {key: value}
    assert isinstance(value, dict), key
    if "other" in value and set(value) <= PLURAL_CATEGORIES:
        return {key: list(value.values())}
    found: dict[str, list[str]] = {}
    for name, inner in value.items():
        found |= flatten(inner, f"{key}.{name}")
    return found


def texts_of(code: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted((LANGUAGES / code).glob("*.json")):
        found |= flatten(json.loads(path.read_text(encoding="utf-8")), path.stem)
    return found


def placeholders_of(forms: list[str]) -> set[str]:
    return {name for form in forms for name in PLACEHOLDER.findall(form)}


ENGLISH = texts_of("en")


@pytest.mark.parametrize("code", CODES)
def test_language_has_every_text(code):
    texts = texts_of(code)

    assert set(texts) == set(ENGLISH)
    assert [key for key, forms in texts.items() if not forms or not all(form.strip() for form in forms)] == []


@pytest.mark.parametrize("code", CODES)
def test_texts_have_the_placeholders_of_the_english_ones(code):
    texts = texts_of(code)

    wrong = [key for key, forms in texts.items() if placeholders_of(forms) != placeholders_of(ENGLISH[key])]

    assert wrong == []


@pytest.mark.parametrize("code", CODES)
def test_texts_of_every_file_are_part_of_the_page(code):
    imports = "".join((LANGUAGES / code / name).read_text(encoding="utf-8") for name in ("index.ts", "pages.ts"))
    files = {path.name for path in (LANGUAGES / code).glob("*.json")} - {"locale.json"}

    assert {name for name in files if f"'./{name}'" not in imports} == set()
