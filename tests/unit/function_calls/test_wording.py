from string import Formatter

import pytest

from function_calls.language.messages import LANGUAGES, catalogue, say


def fields_of(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def test_every_language_words_the_same_keys():
    keys = {language: set(catalogue(language)) for language in LANGUAGES}

    assert keys["zh"] == keys["en"]


def test_a_sentence_has_the_same_fields_in_every_language():
    english, chinese = catalogue("en"), catalogue("zh")
    differing = {
        key: (fields_of(english[key]), fields_of(chinese[key]))
        for key in english
        if fields_of(english[key]) != fields_of(chinese[key])
    }

    assert differing == {}


def test_an_unknown_language_is_answered_in_english():
    assert say("tlh", "time.today") == "today"


def test_a_missing_field_is_an_error_and_not_a_gap():
    with pytest.raises(KeyError):
        say("en", "reminder.deleted", id="abc")
