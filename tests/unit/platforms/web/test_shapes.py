"""Messages and people in the JSON of the page."""

import pytest

from bot.platforms.web.shapes import client_id_of, person_called, post_id


def test_a_message_knows_the_clients_own_id():
    identifier = post_id("abc-1", person_called("Ann"))

    assert client_id_of(identifier) == "abc-1"
    assert identifier == post_id("abc-1", person_called("ann"))
    assert identifier != post_id("abc-1", person_called("Lin"))


@pytest.mark.parametrize("identifier", ["bot-1234", "due-r1-17", "abc.12345678.r", "abc"])
def test_message_of_the_bot_has_no_client_id(identifier):
    assert client_id_of(identifier) is None


def test_spellings_of_a_name_are_one_person():
    assert person_called(" Ann  Lee ") == person_called("Ann Lee")
    assert person_called("ANN LEE").id == person_called("ann lee").id == "ann-lee"
    assert person_called("小安").name == "小安"


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "a\x00b", "a\u202eb"])
def test_invalid_name_is_refused(name):
    with pytest.raises(ValueError, match="name"):
        person_called(name)
