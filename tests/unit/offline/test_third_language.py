"""A third language is a file of sentences and no code."""

import pytest

from tests.unit.offline.conftest import Say


def test_a_reminder_is_set_in_spanish(say: Say) -> None:
    (call,) = say("recuérdame mañana a las 5 de la tarde llamar a mamá", language="es").calls

    assert call.arguments == {"type": "once", "time": "2026-03-05 17:00", "content": "llamar a mamá"}


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("muéstrame mis recordatorios", "reminder_list", {}),
        ("borra el recordatorio 3", "reminder_delete", {"reminder_id": "3"}),
        ("cancela el recordatorio de la leche", "reminder_delete", {"reminder_id": "leche"}),
        ("busca recetas de paella", "perplexity_search", {"query": "recetas de paella"}),
        ("qué me perdí", "summary", {}),
    ],
)
def test_commands_work_in_spanish(say: Say, text: str, tool: str, arguments: dict[str, object]) -> None:
    (call,) = say(text, language="es").calls

    assert (call.name, call.arguments) == (tool, arguments)


def test_chat_in_spanish_selects_nothing(say: Say) -> None:
    assert say("ayer me recordaste a mi hermano", language="es").calls == ()
