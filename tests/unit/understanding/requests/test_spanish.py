"""Requests in Spanish, which is supported by data files only."""

import pytest

from tests.unit.understanding.conftest import Say
from tests.unit.understanding.requests.test_reminder_changes import WITH_CHANGES


def test_reminder_is_set_in_spanish(say: Say) -> None:
    (call,) = say("recuérdame mañana a las 5 de la tarde llamar a mamá", language="es").calls

    assert call.arguments == {"type": "once", "time": "2026-03-05 17:00", "content": "llamar a mamá"}


def test_spanish_question_about_missed_messages_requests_a_summary(say: Say) -> None:
    (call,) = say("perdón, estaba en una reunión. ¿qué me perdí?", language="es").calls

    assert call.name == "summary"


def test_words_between_people_and_repetition_are_the_content(say: Say) -> None:
    (call,) = say("recuérdeles a todos el ensayo todos los jueves a las 5:30 de la tarde", language="es").calls

    assert (call.arguments["content"], call.arguments["person"]) == ("el ensayo", "everyone")


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("muéstrame mis recordatorios", "reminder_list", {"whose": "mine"}),
        ("borra el recordatorio 3", "reminder_delete", {"reminder_id": "3"}),
        ("cancela el recordatorio de la leche", "reminder_delete", {"reminder_id": "leche"}),
        ("busca recetas de paella", "perplexity_search", {"query": "recetas de paella"}),
        ("qué me perdí", "summary", {"window": "qué me perdí"}),
    ],
)
def test_commands_work_in_spanish(say: Say, text: str, tool: str, arguments: dict[str, object]) -> None:
    (call,) = say(text, language="es", is_addressed=True).calls

    assert (call.name, call.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("mueve el recordatorio 2 a las 6 de la tarde", "reminder_update", {"reminder_id": "2", "time": "18:00"}),
        (
            "pasa el recordatorio del dentista al viernes a las 10",
            "reminder_update",
            {"reminder_id": "dentista", "time": "2026-03-06 10:00"},
        ),
        ("aplaza el recordatorio 2 media hora", "reminder_update", {"reminder_id": "2", "time": "+0:30"}),
        ("recuérdame otra vez en 10 minutos", "reminder_snooze", {"time": "10 minutos"}),
        ("cancela todos mis recordatorios", "reminder_delete", {"reminder_id": "all"}),
        ("borra los recordatorios de mañana", "reminder_delete", {"reminder_id": "all mañana"}),
    ],
)
def test_reminders_are_changed_in_spanish(say: Say, text: str, tool: str, arguments: dict[str, object]) -> None:
    (call,) = say(text, language="es", tools=WITH_CHANGES, is_addressed=True).calls

    assert (call.name, call.arguments) == (tool, arguments)


@pytest.mark.parametrize("text", ["muévelo a mañana", "nos vemos a las 5", "cambia la rueda mañana"])
def test_spanish_agreement_between_people_selects_nothing(say: Say, text: str) -> None:
    assert say(text, language="es", tools=WITH_CHANGES).calls == ()


def test_spanish_message_between_people_selects_nothing(say: Say) -> None:
    assert say("ayer me recordaste a mi hermano", language="es").calls == ()


@pytest.mark.parametrize(
    "text", ["recuérdame mañana a las 5 de la tarde llamar a mamá", "avísame a las 18:00 de sacar el pan"]
)
def test_spanish_is_read_in_an_english_chat(say: Say, text: str) -> None:
    (call,) = say(text, language="en").calls

    assert call.name == "reminder_set"
