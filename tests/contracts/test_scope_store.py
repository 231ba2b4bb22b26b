"""Contract of the stores of session state."""

import pytest

from services.kernel.state import ScopeStore, StateDelta


def make_delta(scope, **values):
    return StateDelta(scope=scope, written=values)


async def test_values_are_loaded_in_the_order_of_the_scopes(scopes: ScopeStore):
    await scopes.commit([make_delta("app", motto="hi"), make_delta("session:a", ids=["x", 1, None])])

    assert await scopes.load(["session:a", "nobody", "app"]) == [{"ids": ["x", 1, None]}, {}, {"motto": "hi"}]


async def test_keys_not_in_a_change_stay(scopes: ScopeStore):
    await scopes.commit([make_delta("app", one=1, two=2)])
    await scopes.commit([StateDelta(scope="app", written={"two": 22}, removed=frozenset({"three"}))])

    assert await scopes.load(["app"]) == [{"one": 1, "two": 22}]


async def test_removed_key_is_deleted(scopes: ScopeStore):
    await scopes.commit([make_delta("app", one=1, two=2)])
    await scopes.commit([StateDelta(scope="app", written={}, removed=frozenset({"one"}))])

    assert await scopes.load(["app"]) == [{"two": 2}]


async def test_unchanged_value_is_replaced(scopes):
    await scopes.commit([make_delta("app", one=1)])

    assert await scopes.commit_unless_changed([make_delta("app", one=2)], {"app": {"one": 1}, "nobody": {}})
    assert await scopes.load(["app"]) == [{"one": 2}]


@pytest.mark.parametrize("read", [{"app": {}}, {"app": {"one": 1}, "nobody": {"x": 1}}], ids=["more", "less"])
async def test_value_changed_since_reading_stays(scopes, read):
    await scopes.commit([make_delta("app", one=1)])

    assert not await scopes.commit_unless_changed([make_delta("app", one=2)], read)
    assert await scopes.load(["app"]) == [{"one": 1}]


async def test_commit_is_stored_completely_or_not_at_all(scopes: ScopeStore, database):
    if database is None:
        pytest.skip("the memory store cannot fail half way")
    with pytest.raises(TypeError):
        await scopes.commit([make_delta("app", one=1), make_delta("app", two=object())])

    assert await scopes.load(["app"]) == [{}]
