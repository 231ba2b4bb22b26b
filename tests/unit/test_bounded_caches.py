"""Caches with a limited number of entries."""

import pytest

from services.kernel.bounded import BoundedDict, IdentityCache


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


def test_replacing_an_entry_evicts_no_other(bounded):
    bounded["b"] = 5

    assert dict(bounded) == {"a": 1, "b": 5}


def test_cache_by_identity_tells_equal_objects_apart():
    cache: IdentityCache[int] = IdentityCache(2)
    one, other = ["a"], ["a"]

    assert cache.get((one,), lambda: 1) == 1
    assert cache.get((other,), lambda: 2) == 2
    assert cache.get((one,), lambda: 3) == 1


def test_cache_by_identity_is_bounded():
    cache: IdentityCache[int] = IdentityCache(1)
    one, other = object(), object()
    cache.get((one,), lambda: 1)
    cache.get((one, other), lambda: 2)

    assert cache.get((one,), lambda: 3) == 3
