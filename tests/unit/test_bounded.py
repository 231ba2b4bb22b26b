import pytest

from services.kernel.bounded import BoundedDict


@pytest.fixture
def bounded():
    made = BoundedDict(2)
    made.update({"a": 1, "b": 2})
    return made


def test_entry_written_longest_ago_is_forgotten_first(bounded):
    bounded["c"] = 3

    assert dict(bounded) == {"b": 2, "c": 3}


def test_entry_written_again_stays_longer(bounded):
    bounded["a"] = 4
    bounded["c"] = 3

    assert dict(bounded) == {"a": 4, "c": 3}


def test_replacing_an_entry_pushes_nothing_out(bounded):
    bounded["b"] = 5

    assert dict(bounded) == {"a": 1, "b": 5}
