"""Define tools as classes, for those that make their own schema or need a constructor."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property

from function_calls.tools.calls import ReturnStyle
from function_calls.tools.context import CallContext
from function_calls.tools.permission import Permission
from function_calls.tools.policy import Dispatcher


class Tool(ABC):
    """A tool in full control of what a model sees and of what it is given.

    A subclass sets the attributes, on the class or in its constructor, and registers like a function. `parameters` is
    the JSON Schema of the arguments; `timeout` is in seconds, None leaves it to the router. `returns_untrusted` says
    that others than the person wrote what it returns, `permission` who may call it. Further options (such as scope) go
    to `Registry.register`.

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
        """The routers of the agents that it asks, by the agent's name; none for most tools."""
        return {}

    @property
    def code(self) -> Callable[..., object]:
        """The method that does the work."""
        return self.run

    @abstractmethod
    async def run(self, args: dict[str, object], ctx: CallContext) -> object:
        """Do the work; a method without `async` runs in a thread.

        `args` fit `parameters`; whatever is returned is serialised for the model, a str as it stands.

        Raises:
            ToolFailed: it did not work; the text is told to the model and may be shown to a person.
        """


class BaseTool(Tool):
    """The form of class tools that has a constructor, `get_declaration` and `run_async`.

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
    def parameters(self) -> Mapping[str, object]:  # type: ignore[override]  # an attribute that is made when needed
        """The schema of `get_declaration`, which may name none; it is asked for once."""
        declared = self.get_declaration().get("parameters")
        return declared if isinstance(declared, Mapping) else {"type": "object", "properties": {}}

    @property
    def code(self) -> Callable[..., object]:
        """The method that does the work."""
        return self.run_async

    @abstractmethod
    def get_declaration(self) -> Mapping[str, object]:
        """Return the tool as a model sees it: `name`, `description`, `parameters`."""

    @abstractmethod
    async def run_async(self, *, args: dict[str, object], tool_context: CallContext) -> object:
        """Do the work, as `Tool.run`."""

    async def run(self, args: dict[str, object], ctx: CallContext) -> object:
        """Call `run_async`."""
        return await self.run_async(args=args, tool_context=ctx)
