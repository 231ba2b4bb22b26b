"""Answers of the worker of a stored tool."""

import pytest

from bot.tools.stored.runner import _result


@pytest.mark.parametrize("answer", [b"5", b"[]", b"null", b'"error"'])
def test_answer_that_is_no_object_is_a_crash(answer):
    assert not _result(answer).ok


def test_number_without_a_form_in_json_is_null():
    assert _result(b'{"result": {"share": NaN, "most": -Infinity}}').value == {"share": None, "most": None}
