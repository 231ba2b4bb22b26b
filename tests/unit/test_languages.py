"""Detection of the language of a text."""

import pytest

from services.kernel.languages import detect_latin_language, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("remind me at five", "en"),
        ("每天早上七点", "zh"),
        ("提醒我看 Python weekly newsletter", "zh"),
        ("ask 王 about the report", "en"),
        ("好", "zh"),
        ("recuérdame mañana a las 5 llamar a mamá", "es"),
        ("a mí también", "es"),
        ("¿qué me perdí?", "es"),
        ("Ya me lo he tomado", "es"),
        ("remind me to watch la casa de papel", "en"),
        ("Los Angeles", "en"),
    ],
)
def test_script_and_common_words_determine_the_language(text, language):
    assert language_of(text, "en") == language


@pytest.mark.parametrize("text", ["", "12:30", "🎉", "?"])
def test_text_without_words_has_the_default_language(text):
    assert language_of(text, "zh") == "zh"


@pytest.mark.parametrize("text", ["ay no, me he equivocado", "has visto mi pipeta"])
def test_forms_of_haber_are_not_english(text):
    assert detect_latin_language(text, "es") == "es"


def test_letters_of_a_code_show_no_language():
    assert detect_latin_language("/link link-4y3h-mi2o", "") == ""
