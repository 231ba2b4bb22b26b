"""Define the base classes of tools with their own schema or constructor."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property

from function_calls.tools.calls import ReturnStyle
from function_calls.tools.context import CallContext
from function_calls.tools.permission import Permission
from function_calls.tools.policy import Dispatcher


class Tool(ABC):
    """A tool that defines its own schema.

    A subclass sets the attributes, on the class or in its constructor; an instance is registered like a function.
    `parameters` is the JSON Schema of the arguments; `timeout` is in seconds, None for that of the router.
    `returns_untrusted`: results have text of others than the person. `permission`: the people who may call it. Further
    options (such as scope) are arguments of `Registry.register`.

        class QueryDatabase(Tool):
            name = "query_database"
            description = "Run a read-only SQL query."
            parameters = {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
            timeout = 30.0

            async def run(self, args: dict[str, object], ctx: CallContext) -> object:
                return {"rows": await self._database.select(str(args["sql"]))}
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    timeout: float | None = None
    returns: ReturnStyle = "observation"
    examples: tuple[str, ...] = ()
    returns_untrusted: bool = False
    permission: Permission = "everyone"

    @property
    def dispatchers(self) -> Mapping[str, Dispatcher]:
        """The routers of the agents that the tool asks, by the agent's name; none for most tools."""
        return {}

    @property
    def code(self) -> Callable[..., object]:
        """The method that does the work."""
        return self.run

    @abstractmethod
    async def run(self, args: dict[str, object], ctx: CallContext) -> object:
        """Run the tool with `args`, which fit `parameters`; a method without `async` runs in a thread.

        The result is serialised for the model, a str is not changed.

        Raises:
            ToolFailed: the call failed, with a text for the model that may be shown to a person.
        """


class BaseTool(Tool):
    """A class tool with a constructor, `get_declaration` and `run_async`.

        class QueryDatabase(BaseTool):
            def __init__(self, database: Database) -> None:
                super().__init__(name="query_database", description="Run a read-only SQL query.", timeout=30.0)
                self._database = database

            def get_declaration(self) -> dict[str, object]:
                return {"name": self.name, "description": self.description, "parameters": {"type": "object", …}}

            async def run_async(self, *, args: dict[str, object], tool_context: CallContext) -> object:
                return {"rows": await self._database.select(str(args["sql"]))}

    Source: the specification's document on function tools.
    """

    def __init__(self, *, name: str, description: str = "", timeout: float | None = None) -> None:
        self.name = name
        self.description = description
        self.timeout = timeout

    @cached_property
    def parameters(self) -> Mapping[str, object]:  # type: ignore[override]  # an attribute in the base class
        """The schema of `get_declaration`, which is called once; that of an empty object without one."""
        declared = self.get_declaration().get("parameters")
        return declared if isinstance(declared, Mapping) else {"type": "object", "properties": {}}

    @property
    def code(self) -> Callable[..., object]:
        """The method that does the work."""
        return self.run_async

    @abstractmethod
    def get_declaration(self) -> Mapping[str, object]:
        """Return `name`, `description` and `parameters` of the tool for a model."""

    @abstractmethod
    async def run_async(self, *, args: dict[str, object], tool_context: CallContext) -> object:
        """Run the tool, like `Tool.run`."""

    async def run(self, args: dict[str, object], ctx: CallContext) -> object:
        """Call `run_async`."""
        return await self.run_async(args=args, tool_context=ctx)
