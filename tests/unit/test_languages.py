import pytest

from services.kernel.text import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("remind me at five", "en"),
        ("每天早上七点", "zh"),
        ("提醒我看 Python weekly newsletter", "zh"),
        ("ask 王 about the report", "en"),
        ("好", "zh"),
    ],
)
def test_script_determines_the_language(text, language):
    assert language_of(text, "en") == language


@pytest.mark.parametrize("text", ["", "12:30", "🎉", "?"])
def test_a_text_without_words_leaves_the_default(text):
    assert language_of(text, "zh") == "zh"
