"""Cue words that distinguish reports from requests, in each language."""

import pytest

from function_calls.grounding.request_cues import asks_about_talk, asks_each_other, only_tells


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "thanks for the summary, that was great"),
        ("es", "gracias por el resumen, estuvo genial"),
        ("es", "me encanta que me recuerdes las cosas"),
        ("es", "mi jefe siempre me recuerda la reunión"),
        ("es", "recuérdame a las 5 llamar a Ana, déjalo"),
        ("es", "qué bien que no llueve"),
    ],
)
def test_report_is_no_request(language, text):
    assert only_tells(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "can you remind me that the boss reminded us?"),
        ("es", "recuérdame a las 5 llamar a Ana"),
        ("es", "gracias, y recuérdame mañana lo mismo"),
        ("es", "qué bien, ¿puedes avisarme mañana?"),
        ("es", "que no se me olvide llamar a mi jefe"),
        ("es", "busca el tiempo en Madrid"),
    ],
)
def test_a_request_is_no_report(language, text):
    assert not only_tells(text, language)


@pytest.mark.parametrize("text", ["¿de qué están hablando?", "qué dijeron los demás"])
def test_spanish_question_about_the_chat_is_recognised(text):
    assert asks_about_talk(text, "es")


@pytest.mark.parametrize(("text", "is_small_talk"), [("¿cuándo quedamos?", True), ("la montaña más alta", False)])
def test_spanish_question_about_people_is_recognised(text, is_small_talk):
    assert asks_each_other(text, "es") is is_small_talk
