"""Class tools: declaration, arguments, timeouts and registration."""

import asyncio
import threading
from types import MappingProxyType

import pytest
from msgspec.structs import replace

from function_calls.registry import Registry, ToolNameTaken, ToolOptions, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.declaration.class_tools import BaseTool, Tool
from function_calls.tools.errors import SchemaInvalid
from function_calls.tools.permission import Viewer
from services.kernel.errors import ToolFailed

QUERY = {
    "type": "object",
    "properties": {"sql": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
    "required": ["sql"],
}
NOTHING = {"type": "object", "properties": {}}


class QueryDatabase(Tool):
    name = "query_database"
    description = "Run a query."
    parameters = QUERY

    def __init__(self, rows=(), *, timeout=None):
        self.rows = list(rows)
        self.timeout = timeout
        self.asked = []

    async def run(self, args, ctx):
        self.asked.append((args, ctx.sender.name))
        return {"rows": self.rows[: args.get("limit", 100)]}


class Slow(Tool):
    name = "slow_tool"
    description = "Take for ever."
    parameters = NOTHING
    timeout = 5.0

    async def run(self, args, ctx):
        await asyncio.sleep(3600)


def call(name="query_database", **arguments):
    return ToolCall(id="1", name=name, arguments=arguments)


def router_of(tools, options=None, **settings):
    registry = Registry()
    registry.register(tools, options)
    return FunctionCallRouter(registry, **settings)


async def test_class_tool_gets_the_checked_arguments_and_the_context(context_of):
    tool = QueryDatabase(["a", "b"])
    result = await router_of(tool).dispatch(call(sql="select 1", limit=1), context_of())

    assert result.value == {"rows": ["a"]}
    assert tool.asked == [({"sql": "select 1", "limit": 1}, "ann")]


@pytest.mark.parametrize("arguments", [{}, {"sql": 3}, {"sql": "x", "limit": 0}])
async def test_invalid_arguments_never_reach_a_class_tool(context_of, arguments):
    tool = QueryDatabase()
    result = await router_of(tool).dispatch(call(**arguments), context_of())

    assert not result.ok
    assert tool.asked == []


async def test_class_tool_may_change_its_arguments(context_of):
    class Greedy(QueryDatabase):
        async def run(self, args, ctx):
            args.clear()

    made = call(sql="select 1")
    await router_of(Greedy()).dispatch(made, context_of())

    assert made.arguments == {"sql": "select 1"}


async def test_a_class_tool_may_be_written_without_async(context_of):
    class Sync(QueryDatabase):
        def run(self, args, ctx):
            return threading.current_thread().name

    result = await router_of(Sync()).dispatch(call(sql="select 1"), context_of())

    assert result.ok
    assert result.text != threading.main_thread().name


class TakesNoContext(QueryDatabase):
    async def run(self, args):
        return args


class HasNoSchema(QueryDatabase):
    parameters = "sql: a query"


class HasAWrongSchema(QueryDatabase):
    parameters = MappingProxyType({"type": "objekt"})


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (TakesNoContext(), r"TakesNoContext\.run is called as run\(args, ctx\)"),
        (HasNoSchema(), r"HasNoSchema\.parameters is 'sql: a query'; it has to be a JSON Schema"),
        (HasAWrongSchema(), r'HasAWrongSchema\.parameters: "objekt"'),
    ],
)
def test_invalid_class_tool_is_reported_at_registration(tool, expected):
    with pytest.raises((TypeError, SchemaInvalid), match=expected):
        Registry().register(tool)


def test_a_class_tool_shows_its_own_schema_to_the_model():
    spec = router_of(QueryDatabase()).registry.specs[0]

    assert (spec.name, spec.description) == ("query_database", "Run a query.")
    assert spec.parameters == {**QueryDatabase.parameters, "additionalProperties": False}


@pytest.mark.looptime
async def test_the_timeout_of_a_class_tool_has_the_exact_error(context_of):
    result = await router_of(Slow(), default_timeout=60).dispatch(call("slow_tool"), context_of())

    assert result.error == "Tool 'slow_tool' timed out after 5.0s"
    assert result.for_model() == {"error": "Tool 'slow_tool' timed out after 5.0s"}


@pytest.mark.looptime
async def test_timeout_of_the_registration_overrides_that_of_the_tool(context_of):
    router = router_of(Slow(), ToolOptions(timeout=2.0))
    result = await router.dispatch(call("slow_tool"), context_of())

    assert result.error == "Tool 'slow_tool' timed out after 2.0s"


async def test_failure_of_a_class_tool_keeps_its_message(context_of):
    class Broken(QueryDatabase):
        async def run(self, args, ctx):
            raise ToolFailed("the database is closed")

    result = await router_of(Broken()).dispatch(call(sql="x"), context_of())

    assert result.error == "the database is closed"


class QueryInOtherForm(BaseTool):
    def __init__(self, rows, *, timeout=10.0):
        super().__init__(name="query_database", description="Execute a SQL query.", timeout=timeout)
        self.rows = rows

    def get_declaration(self):
        return {"name": self.name, "description": self.description, "parameters": QUERY}

    async def run_async(self, *, args, tool_context):
        tool_context.state["last"] = args["sql"]
        return {"rows": self.rows[: args.get("limit", 100)], "for": tool_context.sender.name}


async def test_tool_with_a_declaration_and_run_async_is_called_in_the_specifications_form(context_of):
    router = router_of(QueryInOtherForm(["a", "b"]))
    spec = router.registry.specs[0]
    context = context_of()

    result = await router.dispatch(call(sql="select", limit=1), context)

    assert (spec.name, spec.description) == ("query_database", "Execute a SQL query.")
    assert spec.parameters == {**QUERY, "additionalProperties": False}
    assert router.registry.get("query_database").options.timeout == 10.0
    assert result.value == {"rows": ["a"], "for": context.sender.name}
    assert context.state["last"] == "select"
    assert router.registry.get("query_database").uses_state


async def test_declaration_without_parameters_takes_no_arguments(context_of):
    class Ping(QueryInOtherForm):
        def get_declaration(self):
            return {"name": self.name, "parameters": None}

        async def run_async(self, *, args, tool_context):
            return "pong"

    router = router_of(Ping([]))

    assert (await router.dispatch(call(), context_of())).text == "pong"
    assert not (await router.dispatch(call(sql="x"), context_of())).ok


async def test_each_tool_of_a_mixed_list_is_wrapped(context_of):
    class Kettle:
        def boil(self, cups: int) -> str:
            """Boil water."""
            return f"{cups} cups"

    async def search_web(query: str) -> list[str]:
        """Search the web."""
        return [query]

    def add(left: int, right: int) -> int:
        """Add two numbers."""
        return left + right

    @tool_function(name="renamed")
    async def decorated() -> str:
        """Be decorated."""
        return "done"

    router = router_of([QueryDatabase(), search_web, add, decorated, Kettle().boil])
    answers = [
        await router.dispatch(call("search_web", query="tea"), context_of()),
        await router.dispatch(call("add", left=1, right=2), context_of()),
        await router.dispatch(call("renamed"), context_of()),
        await router.dispatch(call("boil", cups=2), context_of()),
    ]

    assert [answer.value for answer in answers] == [{"result": ["tea"]}, {"result": 3}, "done", "2 cups"]
    assert [spec.name for spec in router.registry.specs] == ["query_database", "search_web", "add", "renamed", "boil"]


def test_list_with_a_taken_name_registers_nothing():
    registry = Registry()
    registry.register(QueryDatabase())
    with pytest.raises(ToolNameTaken):
        registry.register([Slow(), QueryDatabase()])

    assert [spec.name for spec in registry.specs] == ["query_database"]


def test_list_of_tools_is_unregistered_as_a_whole():
    registry = Registry()
    registry.register([QueryDatabase(), Slow()])()

    assert registry.specs == ()


def test_a_class_tool_with_an_impossible_name_is_refused():
    tool = QueryDatabase()
    tool.name = "query database"

    with pytest.raises(ValueError, match="tool name"):
        router_of(tool)


@pytest.mark.parametrize("wrong", [QueryDatabase, "query_database"])
def test_object_that_is_no_tool_is_refused_with_a_correction(wrong):
    with pytest.raises(TypeError, match="register a function or an instance"):
        router_of([wrong])


def test_class_tools_of_a_module_are_collected():
    import types

    module = types.ModuleType("plugin")
    module.database = QueryDatabase()
    registry = Registry()
    registry.collect(module)

    assert [spec.name for spec in registry.specs] == ["query_database"]


def test_specs_for_a_person_exclude_forbidden_functions(message):
    registry = Registry()
    registry.register(QueryDatabase())
    registry.register(Slow(), ToolOptions(permission="admins"))
    specs = registry.specs_for(Viewer.of(message))

    assert [spec.name for spec in specs] == ["query_database"]
    assert registry.specs_for(Viewer.of(replace(message, is_private=True))) is specs
