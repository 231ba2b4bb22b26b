"""Words of the upcoming reminders of a chat, and references to one of them."""

from datetime import datetime

import pytest

from function_calls.understanding.reading.lexicon import load_common_words
from function_calls.understanding.reading.reminder_words import ReminderWords, collect_words, names_same_act, stem
from function_calls.understanding.requests.chat_reminders import ChatReminders
from services.time_expressions import DateOrder, TimeReader, parse_all
from tests.support.reminders import make_reminder
from tests.unit.understanding.dialogue.test_group_dialogues import START, ZONE, reminder


def known(*contents):
    return ChatReminders(tuple(map(reminder, contents)), START, parse_all)


@pytest.mark.parametrize(
    ("word", "expected"), [("pills", "pill"), ("watering", "water"), ("boxes", "box"), ("bus", "bus"), ("gym", "gym")]
)
def test_stem_is_a_word_without_the_ending_of_a_form(word, expected):
    assert stem(word) == expected


def test_words_of_the_reminders_are_found():
    words = collect_words(["take the pills", "给绿萝浇水"], {"the"})

    assert words.find_places(["one", "pill", "less", "the"]) == {1}
    assert words.find_places(["绿", "萝", "那", "个"]) == {0, 1}
    assert ReminderWords().find_places(["pill"]) == frozenset()


@pytest.mark.parametrize(
    ("name", "language", "expected"),
    [
        ("front door", "en", "unlock the front"),
        ("watering", "en", "water the ferns"),
        ("insulin alert", "en", "insulin"),
        ("calls", "en", "call Hugo"),
        ("call dad", "en", None),
        ("swimming", "en", None),
        ("绿萝", "zh", "给绿萝浇水"),
        ("顿药", "zh", None),
    ],
)
def test_reference_means_the_reminder_with_most_common_words(name, language, expected):
    reminders = known("unlock the front", "water the ferns", "insulin", "call Hugo", "给绿萝浇水")

    found = reminders.find_only_closest(name, load_common_words(language))

    assert (None if found is None else found.content) == expected


def test_word_of_several_reminders_has_less_weight():
    reminders = known("water the ferns", "water the roses")

    assert reminders.find_closest("water", load_common_words("en")) == reminders.coming
    assert reminders.find_closest("water roses", load_common_words("en")) == reminders.coming[1:]


def test_words_at_a_distance_are_no_neighbours():
    reminders = known("come to the hall", "book the MOT")

    assert reminders.find_closest("move that to , , the garage is shut", load_common_words("en")) == ()


@pytest.mark.parametrize(
    ("noun", "verb"),
    [("riego", "regar"), ("limpieza", "limpiar"), ("recogida", "recoger"), ("pago", "pagar"), ("prueba", "probar")],
)
def test_spanish_noun_names_the_action_of_its_verb(noun, verb):
    assert names_same_act(noun, verb)
    assert not names_same_act(verb, noun)


@pytest.mark.parametrize(("one", "other"), [("date", "data"), ("party", "part"), ("casa", "cara"), ("luz", "lucir")])
def test_unrelated_words_name_no_common_action(one, other):
    assert not names_same_act(one, other)


def test_noun_refers_to_the_reminder_with_its_verb():
    chat = known("regar el bancal", "pagar la luz")
    common = load_common_words("es")

    assert [each.content for each in chat.find_act("riego", common)] == ["regar el bancal"]
    assert chat.matches("el pago", common)
    assert not chat.matches("la limpieza", common)


@pytest.mark.parametrize(("order", "meant"), [(DateOrder.DMY, "rent"), (DateOrder.MDY, "taxes")])
def test_numeric_date_names_a_reminder_in_the_order_of_the_settings(order, meant):
    dues = {"rent": datetime(2026, 12, 11, 9, tzinfo=ZONE), "taxes": datetime(2027, 11, 12, 9, tzinfo=ZONE)}
    here = tuple(make_reminder(content, due) for content, due in dues.items())

    chat = ChatReminders(here, START, TimeReader(order=order).parse_all)

    assert [each.content for each in chat.filter_by_time("11/12", here)] == [meant]
