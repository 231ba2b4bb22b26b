"""The repository of Python tools: ids, versions, settings and access."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from bot.tools.stored.repository import StoredToolRepository, ToolForm, ToolIdTaken, ToolUnknown, ValvesInvalid
from bot.tools.stored.runner import ToolRunner
from bot.tools.stored.toolset import StoredToolset
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext, Services
from function_calls.tools.permission import Viewer
from function_calls.toolsets.stored.source import SourceInvalid
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.storage.tools import SqlStoredToolStore

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
SOURCE = '''
"""
title: Tea Maker
"""
class Tools:
    class Valves:
        degrees: int = 80

    def brew(self) -> str:
        """Brew tea."""
        return "tea"
'''


def viewer(person="ann", chat="home"):
    return Viewer(person=Person(id=person, name=person), chat=ChatAddress(platform="web", chat_id=chat))


class FakeRunner(ToolRunner):
    """Runs nothing and says what it would have run."""

    def __init__(self):
        self.calls = []

    async def run(self, call):
        self.calls.append(call)
        return ToolResult(ok=True, text=call.function.attribute)


@pytest.fixture
def store(sqlite_database):
    return SqlStoredToolStore(sqlite_database)


@pytest.fixture
def repository(store):
    return StoredToolRepository(store, FixedClock(NOW))


@pytest.fixture
def runner():
    return FakeRunner()


@pytest.fixture
def toolset(store, runner):
    return StoredToolset(store, runner, owners=("web:boss",))


def context(person="ann"):
    message = ChatMessage(
        id="m1", address=viewer().chat, sender=viewer(person).person, text="tea", sent_at=NOW, is_addressed=True
    )
    return CallContext(
        call_id="1", message=message, services=Services(), clock=FixedClock(NOW), now=NOW, zone=UTC, language="en"
    )


async def names(toolset, who):
    return [spec.name for spec in await toolset.list_specs(who)]


async def test_id_and_name_come_from_the_source_where_they_are_not_given(repository):
    tool = await repository.create(ToolForm(content=SOURCE), "web:ann")

    assert (tool.id, tool.name, tool.owner, tool.version) == ("tea_maker", "Tea Maker", "web:ann", 1)
    assert tool.specs[0]["name"] == "brew"


async def test_id_belongs_to_one_tool(repository):
    await repository.create(ToolForm(content=SOURCE), "web:ann")

    with pytest.raises(ToolIdTaken):
        await repository.create(ToolForm(content=SOURCE), "web:bob")


async def test_invalid_source_changes_nothing(repository):
    await repository.create(ToolForm(content=SOURCE), "web:ann")

    with pytest.raises(SourceInvalid):
        await repository.update("tea_maker", ToolForm(content="class Tools(:"), "web:ann")
    assert (await repository.get("tea_maker")).content == SOURCE


async def test_versions_are_kept_and_count_changes_of_the_source(repository):
    await repository.create(ToolForm(content=SOURCE), "web:ann")
    await repository.update("tea_maker", ToolForm(content=SOURCE, name="Tea"), "web:ann")
    await repository.update("tea_maker", ToolForm(content=f"{SOURCE}# better\n"), "web:bob")

    assert [(each.version, each.author) for each in await repository.versions("tea_maker")] == [
        (2, "web:bob"),
        (1, "web:ann"),
    ]


@pytest.mark.parametrize("valves", [{"degrees": "hot"}, {"degrees": []}])
async def test_settings_must_fit_the_schema_of_the_tool(repository, valves):
    await repository.create(ToolForm(content=SOURCE), "web:ann")

    with pytest.raises(ValvesInvalid):
        await repository.set_valves("tea_maker", valves, "web:ann")


async def test_settings_reach_the_call(repository, toolset, runner):
    await repository.create(ToolForm(content=SOURCE), "web:ann")
    await repository.set_valves("tea_maker", {"degrees": 95}, "web:ann")

    await toolset.call("brew", {}, context())

    assert runner.calls[0].valves == {"degrees": 95}


async def test_a_removed_tool_is_unknown(repository):
    await repository.create(ToolForm(content=SOURCE), "web:ann")
    await repository.remove("tea_maker")

    with pytest.raises(ToolUnknown):
        await repository.get("tea_maker")


@pytest.mark.parametrize(
    ("access", "visible_to"),
    [
        (None, {"ann", "bob", "eve", "boss"}),
        ({}, {"ann", "boss"}),
        ({"read": {"user_ids": ["web:bob"]}}, {"ann", "bob", "boss"}),
        ({"read": {"group_ids": ["web:home"]}}, {"ann", "bob", "eve", "boss"}),
        ({"read": {"group_ids": ["web:work"]}}, {"ann", "boss"}),
    ],
)
async def test_a_tool_is_seen_by_owner_bots_owners_and_those_it_is_shared_with(repository, toolset, access, visible_to):
    await repository.create(ToolForm(content=SOURCE, access=access), "web:ann")

    seen = {who for who in ("ann", "bob", "eve", "boss") if await names(toolset, viewer(who))}

    assert seen == visible_to


async def test_hidden_tool_cannot_be_called(repository, toolset, runner):
    await repository.create(ToolForm(content=SOURCE, access={}), "web:ann")

    result = await toolset.call("brew", {}, context("eve"))

    assert not result.ok
    assert runner.calls == []


async def test_disabled_tool_is_not_offered(repository, toolset):
    await repository.create(ToolForm(content=SOURCE), "web:ann")
    await repository.switch("tea_maker", "web:ann", is_enabled=False)

    assert await names(toolset, viewer("boss")) == []


async def test_older_tool_keeps_a_name_that_two_functions_have(store, repository, toolset):
    await repository.create(ToolForm(content=SOURCE, access={}), "web:ann")
    younger = await repository.create(ToolForm(content=SOURCE, id="other"), "web:ann")
    await store.save(replace(younger, created_at=NOW.replace(hour=13)), "web:ann")

    assert await names(toolset, viewer("ann")) == ["brew", "other_brew"]
    assert await names(toolset, viewer("eve")) == ["other_brew"]


async def test_unchanged_tools_have_the_same_specs(repository, toolset):
    await repository.create(ToolForm(content=SOURCE), "web:ann")

    first, second = await toolset.list_specs(viewer()), await toolset.list_specs(viewer())

    assert first[0] is second[0]


def source_of(*functions):
    methods = "".join(
        f'    def {each}(self) -> str:\n        """Do {each}."""\n        return ""\n' for each in functions
    )
    return f"class Tools:\n{methods}"


async def test_functions_of_a_tool_with_the_id_of_a_deleted_one_are_its_own(repository, toolset):
    await repository.create(ToolForm(id="tea", content=source_of("brew")), "web:ann")
    before = await names(toolset, viewer())
    await repository.remove("tea")
    await repository.create(ToolForm(id="tea", content=source_of("pour")), "web:ann")
    toolset.clear_cache()

    assert (before, await names(toolset, viewer())) == (["brew"], ["pour"])


async def test_changed_tool_keeps_its_names_before_later_ones(repository, toolset, runner):
    await repository.create(ToolForm(id="a", content=source_of("brew")), "web:ann")
    await repository.create(ToolForm(id="b", content=source_of("brew", "pour")), "web:ann")
    before = await names(toolset, viewer())
    await repository.update("a", ToolForm(content=source_of("pour")), "web:ann")
    toolset.clear_cache()
    await toolset.call("pour", {}, context())

    assert before == ["brew", "b_brew", "pour"]
    assert await names(toolset, viewer()) == ["pour", "brew", "b_pour"]
    assert runner.calls[0].source == source_of("pour")


async def test_longer_name_of_a_function_is_not_taken_from_another_tool(repository, toolset):
    await repository.create(ToolForm(id="a", content=source_of("brew", "b_brew")), "web:ann")
    await repository.create(ToolForm(id="b", content=source_of("brew")), "web:ann")

    assert await names(toolset, viewer()) == ["brew", "b_brew", "b_b_brew"]
