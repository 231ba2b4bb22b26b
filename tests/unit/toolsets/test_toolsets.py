"""Sets of tools from several sources."""

import asyncio

import pytest
from msgspec.structs import replace

from function_calls.registry import Registry, ToolOptions
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Viewer, short_name
from function_calls.toolsets.combined import CombinedToolset, LocalToolset, NameClash, combine_external
from function_calls.toolsets.wrappers import ApprovedToolset, FilteredToolset, PrefixedToolset
from tests.unit.toolsets.conftest import TEXT, FakeToolset

HI = {"text": "hi"}


async def call_external(toolset, name, arguments, context):
    router = FunctionCallRouter(Registry(), external_tools=toolset)
    return await router.dispatch(ToolCall(id="1", name=name, arguments=arguments), context)


def names(specs):
    return [spec.name for spec in specs]


async def test_the_first_set_keeps_a_name_and_the_other_carries_its_label(viewer, context):
    combined = CombinedToolset({"web": FakeToolset("web", "search"), "docs": FakeToolset("docs", "search", "open")})

    assert names(await combined.list_specs(viewer)) == ["search", "docs_search", "open"]
    assert (await combined.call("docs_search", HI, context)).text == "docs.search"
    assert combined.clashes == (NameClash(name="search", kept_by="web", renamed=("docs_search",)),)


async def test_name_clash_stays_resolved_while_the_first_set_is_empty(viewer):
    web = FakeToolset("web", "search")
    combined = CombinedToolset({"web": web, "docs": FakeToolset("docs", "search")})
    await combined.list_specs(viewer)
    web.specs = ()

    assert names(await combined.list_specs(viewer)) == ["docs_search"]


async def test_name_that_nobody_offers_is_forgotten_after_many_others(viewer):
    web, docs = FakeToolset("web", "search"), FakeToolset("docs")
    client = FakeToolset("client")
    combined = CombinedToolset({"web": web, "docs": docs, "client": client})
    await combined.list_specs(viewer)
    web.specs, client.specs = (), FakeToolset("client", *(f"tool_{number}" for number in range(20_000))).specs
    await combined.list_specs(viewer)
    docs.specs, client.specs = FakeToolset("docs", "search").specs, ()

    assert names(await combined.list_specs(viewer)) == ["search"]


async def test_a_label_that_makes_a_taken_name_is_used_twice(viewer):
    first, second = FakeToolset("a", "search", "b_search"), FakeToolset("b", "search")

    assert names(await CombinedToolset({"a": first, "b": second}).list_specs(viewer))[2] == "b_b_search"


async def test_a_set_that_cannot_be_listed_is_left_out(viewer):
    class Broken(FakeToolset):
        async def list_specs(self, viewer):
            raise OSError("no route to host")

    combined = CombinedToolset({"broken": Broken("broken"), "docs": FakeToolset("docs", "open")})

    assert names(await combined.list_specs(viewer)) == ["open"]


async def test_tool_added_later_is_offered(viewer):
    docs = FakeToolset("docs", "open")
    combined = CombinedToolset({"docs": docs})
    await combined.list_specs(viewer)
    docs.specs = (*docs.specs, *FakeToolset("docs", "close").specs)

    assert names(await combined.list_specs(viewer)) == ["open", "close"]


async def test_a_filter_sees_who_asks(context, admins_context):
    docs = FilteredToolset(FakeToolset("docs", "open"), lambda spec, viewer: viewer.person.is_admin)

    assert (await docs.call("open", HI, admins_context)).ok
    assert not (await docs.call("open", HI, context)).ok


def test_a_name_that_would_be_too_long_stays_unique():
    made = {short_name(f"server_{'x' * 60}{place}") for place in range(3)}

    assert len(made) == 3
    assert all(len(name) == 64 for name in made)


async def test_a_prefixed_tool_is_called_by_its_own_name(context):
    docs = FakeToolset("docs", "open")
    await PrefixedToolset(docs, "my").call("my_open", HI, context)

    assert docs.calls == [("open", HI)]


async def test_without_approval_nothing_is_called(context):
    docs = FakeToolset("docs", "erase")

    async def ask(name, arguments, context):
        return ToolResult(ok=False, text=f"Really {name}?", ending="question")

    result = await ApprovedToolset(docs, ask).call("erase", HI, context)

    assert result.ending == "question"
    assert docs.calls == []


async def test_arguments_that_do_not_fit_the_listed_schema_are_not_sent(context):
    docs = FakeToolset("docs", "open")
    result = await call_external(docs, "open", {"text": 3}, context)

    assert "/text" in result.error
    assert docs.calls == []


async def test_question_about_a_tool_of_a_server_does_not_describe_a_built_in_one_of_that_name(context):
    files = FakeToolset("files", "write_file")
    files.specs = tuple(replace(spec, confirm=True) for spec in files.specs)

    result = await call_external(files, "write_file", HI, context)

    assert "write a file" in result.text
    assert "workspace" not in result.text


async def test_local_tools_of_admins_are_listed_for_admins_only(context, admins_context):
    async def erase() -> str:
        """Erase everything."""
        return "gone"

    registry = Registry()
    registry.register(erase, ToolOptions(permission="admins"))
    local = LocalToolset(FunctionCallRouter(registry))

    assert names(await local.list_specs(Viewer.of(admins_context.message))) == ["erase"]
    assert await local.list_specs(Viewer.of(context.message)) == ()


@pytest.fixture
def router():
    async def greet(text: str, ctx: CallContext) -> str:
        """Greet."""
        return f"local {text}"

    async def erase(text: str) -> str:
        """Erase."""
        return "gone"

    registry = Registry()
    registry.register(greet)
    registry.register(erase, ToolOptions(permission="admins"))
    return FunctionCallRouter(registry, default_timeout=5.0)


def call(name):
    return ToolCall(id="1", name=name, arguments=HI)


async def test_a_router_offers_and_calls_the_tools_that_were_joined_to_it(router, viewer, context):
    combine_external(router, {"docs": FakeToolset("docs", "open", "greet")})

    assert names(await router.list_specs(viewer)) == ["greet", "open", "docs_greet"]
    assert (await router.dispatch(call("greet"), context)).text == "local hi"
    assert (await router.dispatch(call("docs_greet"), context)).text == "docs.greet"


async def test_a_local_name_is_not_given_away_to_those_who_may_not_call_it(router, viewer, context):
    combine_external(router, {"docs": FakeToolset("docs", "erase")})

    assert names(await router.list_specs(viewer)) == ["greet", "docs_erase"]
    assert (await router.dispatch(call("erase"), context)).error == "not allowed: admins_only"


async def test_hooks_and_events_hold_for_external_tools(router, context):
    combine_external(router, {"docs": FakeToolset("docs", "open")})
    events = []
    router.events.subscribe("tool.call", events.append)
    router.hooks.after.append(lambda call, ctx, result: replace(result, text="audited"))
    result = await router.dispatch(call("open"), context)

    assert result.text == "audited"
    assert [event.data["tool"] for event in events] == ["open"]


@pytest.mark.looptime
async def test_external_tool_is_cancelled_after_the_default_timeout(router, context):
    class Slow(FakeToolset):
        async def call(self, name, arguments, context):
            await asyncio.sleep(3600)

    combine_external(router, {"docs": Slow("docs", "open")})
    result = await router.dispatch(call("open"), context)

    assert result.error == "Tool 'open' timed out after 5.0s"


async def test_a_tool_that_is_removed_is_unknown_at_once(router, context):
    combine_external(router, {"docs": FakeToolset("docs", "open")})

    async def short_lived(text: str) -> str:
        """Be removed."""
        return text

    router.registry.register(short_lived)()
    result = await router.dispatch(call("short_lived"), context)

    assert "no tool named 'short_lived'" in result.error


async def test_an_argument_that_the_schema_of_a_server_does_not_list_is_refused(router, viewer, context):
    docs = FakeToolset("docs", "open")
    combine_external(router, {"docs": docs})
    result = await router.dispatch(ToolCall(id="1", name="open", arguments={**HI, "txt": "x"}), context)

    assert "/txt: is not an argument of this tool" in result.error
    assert docs.calls == []
    assert next(spec for spec in await router.list_specs(viewer) if spec.name == "open").parameters == TEXT


async def test_an_argument_beyond_those_listed_is_sent_where_the_schema_of_a_server_allows_it(router, context):
    docs = FakeToolset("docs", "open")
    docs.specs = (replace(docs.specs[0], parameters={**TEXT, "additionalProperties": True}),)
    combine_external(router, {"docs": docs})
    await router.dispatch(ToolCall(id="1", name="open", arguments={**HI, "page": 2}), context)

    assert docs.calls == [("open", {**HI, "page": 2})]
