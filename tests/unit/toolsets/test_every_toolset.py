"""Contract of the toolsets."""

import pytest

from function_calls.registry import Registry, ToolOptions
from function_calls.router import FunctionCallRouter
from function_calls.toolsets.combined import CombinedToolset, LocalToolset
from function_calls.toolsets.wrappers import ApprovedToolset, FilteredToolset, PrefixedToolset
from tests.unit.toolsets.conftest import FakeToolset


async def approve(name, arguments, context):
    return None


def local():
    async def say(text: str) -> str:
        """Say a text."""
        return text

    async def secret(text: str) -> str:
        """Do what only admins may."""
        return text

    registry = Registry()
    registry.register(say)
    registry.register(secret, ToolOptions(permission="admins"))
    return LocalToolset(FunctionCallRouter(registry))


MADE = {
    "local": local,
    "combined": lambda: CombinedToolset({"one": FakeToolset("one", "say"), "two": FakeToolset("two", "say", "sing")}),
    "filtered": lambda: FilteredToolset(FakeToolset("fake", "say", "secret"), lambda spec, viewer: spec.name == "say"),
    "prefixed": lambda: PrefixedToolset(FakeToolset("fake", "say"), "my"),
    "approved": lambda: ApprovedToolset(FakeToolset("fake", "say"), approve),
}


@pytest.fixture(params=MADE)
def toolset(request):
    return MADE[request.param]()


async def test_every_listed_tool_can_be_called_by_its_listed_name(toolset, viewer, context):
    specs = await toolset.list_specs(viewer)
    results = [await toolset.call(spec.name, {"text": "hi"}, context) for spec in specs]

    assert specs
    assert all(result.ok for result in results)


async def test_listing_twice_gives_the_same_spec_objects(toolset, viewer):
    first, second = await toolset.list_specs(viewer), await toolset.list_specs(viewer)

    assert all(one is other for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("name", ["nonsense", "secret"])
async def test_unlisted_tool_is_not_called(toolset, name, context):
    result = await toolset.call(name, {"text": "hi"}, context)

    assert not result.ok


async def test_an_unknown_name_is_answered_with_the_nearest(toolset, viewer, context):
    name = (await toolset.list_specs(viewer))[0].name
    result = await toolset.call(f"{name}y", {"text": "hi"}, context)

    assert f"did you mean {name}" in result.error
