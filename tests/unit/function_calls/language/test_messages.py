"""Message texts in all languages, and their fields."""

from string import Formatter

import pytest

from function_calls.language.messages import LANGUAGES, Message, catalogue, say, worded_languages


def fields_of(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


OTHERS = [language for language in LANGUAGES if language != "en"]


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_words_the_same_keys_in_the_same_order(language):
    assert list(catalogue(language)) == list(catalogue("en"))


@pytest.mark.parametrize("language", OTHERS)
def test_a_sentence_has_the_same_fields_in_every_language(language):
    english, other = catalogue("en"), catalogue(language)
    differing = {
        key: (fields_of(english[key]), fields_of(other[key]))
        for key in english
        if fields_of(english[key]) != fields_of(other[key])
    }

    assert differing == {}


def test_every_language_that_has_a_file_has_all_messages():
    assert worded_languages() == set(LANGUAGES)


def test_an_unknown_language_is_answered_in_english():
    assert say("tlh", "time.today") == "today"


def test_missing_field_is_an_error():
    with pytest.raises(KeyError):
        say("en", "reminder.deleted", id="abc")


def test_a_message_in_a_field_is_worded_in_the_same_language():
    problem = Message("server.unreachable", {"reason": "no route"})

    assert say("zh", "doctor.source_fails", reason=problem) == "无法连接服务器（no route）"
    assert str(problem) == "the server cannot be reached (no route)"
