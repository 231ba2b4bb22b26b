"""Register functions and class tools by name, with their schemas, validators and invokers."""

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from types import FunctionType, MethodType, ModuleType

from msgspec import Struct, field
from msgspec.structs import replace

from function_calls.tools.calls import MAX_NAME_LENGTH, TOOL_NAME, ToolSpec
from function_calls.tools.context import CallContext, Services
from function_calls.tools.declaration.argument_validation import instantiate
from function_calls.tools.declaration.class_tools import Tool
from function_calls.tools.declaration.option_checks import check_options
from function_calls.tools.declaration.parameters import Fault
from function_calls.tools.declaration.signature import analyse, names_attribute, signature_error
from function_calls.tools.declaration.tool_options import ToolOptions, is_marked, options_of, tool_function
from function_calls.tools.dispatch.function_adapter import Invoke, class_invoker, function_invoker
from function_calls.tools.errors import SchemaInvalid
from function_calls.tools.permission import Viewer, refusal_code
from function_calls.tools.policy import Dispatcher
from function_calls.tools.validation.argument_errors import nearest
from function_calls.tools.validation.schema_validator import SchemaValidator, close_objects
from function_calls.tools.validation.schema_walk import required_of

__all__ = ["RegisteredTool", "Registrable", "Registry", "ToolNameTaken", "ToolOptions", "tool_function"]

Registrable = Tool | Callable[..., object]
_OTHER_FIX = "Or give undo= a function of arguments and result that returns the UndoStep."


class RegisteredTool(Struct, frozen=True, kw_only=True):
    """A registered tool: its spec for interpreters, and the parts that the router needs to run it.

    `source` is the function or class tool. `dispatchers` run the calls of the agents that the tool asks, by the agent's
    name. With `uses_state` its calls in one session run one after the other. `validator` checks arguments against the
    schema; `instantiate` converts them for `invoke`: to an instance of the argument class, or for a class tool to a
    dict.
    """

    source: Registrable
    spec: ToolSpec
    options: ToolOptions
    validator: SchemaValidator
    instantiate: Callable[[Mapping[str, object]], object]
    invoke: Invoke
    uses_state: bool = False
    dispatchers: Mapping[str, Dispatcher] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that a model calls."""
        return self.spec.name


class ToolNameTaken(ValueError):
    """Two tools claim the same name, which is `tool`."""

    def __init__(self, tool: str) -> None:
        super().__init__(f"a tool named {tool!r} is registered already; give one of them name=…")
        self.tool = tool


class Registry:
    """The tools of one bot, by name and in the order of their registration.

    A function gets the context of its call, `CallContext`, the `Services`, and objects of the `injectable` classes by
    annotating a parameter with the class.
    """

    def __init__(self, injectable: Collection[type[object]] = ()) -> None:
        self.injectable: tuple[type[object], ...] = (CallContext, Services, *injectable)
        """The classes that a function may ask for by annotation."""
        self._tools: dict[str, RegisteredTool] = {}
        self._specs: tuple[ToolSpec, ...] | None = None
        self._shown: dict[tuple[int, ...], tuple[ToolSpec, ...]] = {}

    def allow(self, injectable: type[object]) -> None:
        """Allow functions registered from now on to ask for one more class."""
        if injectable not in self.injectable:
            self.injectable = (*self.injectable, injectable)

    def collect(self, source: ModuleType | object) -> Callable[[], None]:
        """Register the marked functions of a module (or methods of an object) and its class tools, all or none.

        A single class tool or function, marked or not, is registered too. Returns a function that unregisters them.

        Raises:
            TypeError: an object has no marked methods and no class tools.
        """
        if isinstance(source, Tool | FunctionType | MethodType) or is_marked(source):
            return self.register(source)
        _refuse_classes_and_agents(source)
        if inspect.iscoroutine(source):
            source.close()
            raise TypeError(f"{source.__name__}(…) was called; give the function itself, without brackets")
        if isinstance(source, ModuleType):
            members = list(vars(source).values())
        else:
            members = [getattr(source, name) for name in dir(source) if not name.startswith("__")]
        found = [value for value in members if isinstance(value, Tool) or is_marked(value)]
        if not found and not isinstance(source, ModuleType):
            raise TypeError(
                f"{source!r} is no function, no instance of a class tool, and has none under @tool_function"
            )
        return self.register(found)

    def register(
        self, tools: Registrable | Iterable[Registrable | RegisteredTool], options: ToolOptions | None = None
    ) -> Callable[[], None]:
        """Register tools, all or none, and return a function that unregisters them.

        A tool is a function (marked or plain, sync or async), a bound method or a class tool; `tools` may be a
        `Registry`.

        Raises:
            SignatureInvalid: a signature cannot be a schema; the error names file, line, parameter and the fix.
            ToolNameTaken: another tool has that name.
        """
        listed = (tools,) if isinstance(tools, Tool) or callable(tools) else tuple(tools)
        added: dict[str, RegisteredTool] = {}
        for source in listed:
            tool = self._make_tool(source, options)
            if tool.name in self._tools or tool.name in added:
                raise ToolNameTaken(tool.name)
            added[tool.name] = tool
        self._tools |= added
        self._clear_caches()

        def unregister() -> None:
            for name in added:
                self._tools.pop(name, None)
            self._clear_caches()

        return unregister

    def _make_tool(self, tool: Registrable | RegisteredTool, options: ToolOptions | None) -> RegisteredTool:
        if isinstance(tool, RegisteredTool):
            return self._make_tool(tool.source, options or tool.options)
        if isinstance(tool, Tool):
            own = ToolOptions(
                returns=tool.returns,
                examples=tool.examples,
                returns_untrusted=tool.returns_untrusted,
                permission=tool.permission,
            )
            return _class_tool(tool, options or own)
        _refuse_classes_and_agents(tool)
        if not callable(tool):
            raise TypeError(f"{tool!r} is no tool; register a function or an instance of a class tool")
        # Only plain functions are cached, because a cached method would keep its object alive.
        make = _function_tool if isinstance(tool, FunctionType) else _function_tool.__wrapped__
        return make(tool, options or options_of(tool), self.injectable)

    def get(self, name: str) -> RegisteredTool | None:
        """Return the tool called `name`; None if it is unknown."""
        return self._tools.get(name)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the specs of all tools; the same tuple until the registry changes, so it may be a cache key."""
        if self._specs is None:
            self._specs = tuple(tool.spec for tool in self._tools.values() if not tool.options.is_only_for_undo)
        return self._specs

    def specs_for(
        self, viewer: Viewer, *, owners: Collection[str] = (), off: Collection[str] = ()
    ) -> tuple[ToolSpec, ...]:
        """Return the tools that `viewer` may call; the same tools are the same tuple, for caches.

        `owners` are the bot's (`platform:id`), `off` the names of the tools that are switched off in the chat.
        """
        shown = tuple(
            tool.spec
            for tool in self._tools.values()
            if tool.name not in off
            and not tool.options.is_only_for_undo
            and refusal_code(tool.options, viewer, owners) is None
        )
        return self._shown.setdefault(tuple(map(id, shown)), shown)

    def _clear_caches(self) -> None:
        self._specs = None
        self._shown = {}

    def __iter__(self) -> Iterator[RegisteredTool]:
        return iter(self._tools.values())


def declaration_error(tool: Registrable, fault: Fault) -> Exception:
    """Create the error for the author of `tool`, with its location and the fix."""
    if isinstance(tool, Tool):
        return ValueError(f"{type(tool).__name__}: {fault.problem}. {fault.fix}")
    return signature_error(tool, fault)


@lru_cache(maxsize=512)
def _function_tool(
    function: Callable[..., object], options: ToolOptions, injectable: tuple[type[object], ...]
) -> RegisteredTool:
    """Create the registered tool of a function; cached for all bots of a process, because making a schema is slow."""
    signature = analyse(function, injectable=injectable, options=options)
    return RegisteredTool(
        source=function,
        spec=_spec(signature.name, signature.description, signature.parameters_schema, options),
        options=options,
        validator=signature.validator,
        instantiate=partial(instantiate, signature),
        invoke=function_invoker(function, signature),
        uses_state=_uses_state(function, options) and CallContext in signature.injected.values(),
    )


def _class_tool(tool: Tool, options: ToolOptions) -> RegisteredTool:
    _check_class_tool(tool, options)
    name = options.name or tool.name
    if not TOOL_NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be a tool name; use letters, digits, _ and -, at most {MAX_NAME_LENGTH}")
    return RegisteredTool(
        source=tool,
        spec=_spec(name, options.description or tool.description, close_objects(tool.parameters), options),
        options=options if options.timeout is not None else replace(options, timeout=tool.timeout),
        validator=_validator_of(tool),
        instantiate=dict,
        invoke=class_invoker(tool),
        uses_state=_uses_state(tool.code, options),
        dispatchers=tool.dispatchers,
    )


def _spec(name: str, description: str, parameters: Mapping[str, object], options: ToolOptions) -> ToolSpec:
    return ToolSpec(
        name=name,
        description=description,
        parameters=parameters,
        examples=options.examples,
        conversation_examples=options.conversation_examples,
        returns=options.returns,
        is_deferrable=options.is_deferrable,
    )


def _uses_state(function: Callable[..., object], options: ToolOptions) -> bool:
    return names_attribute(function, "state") if options.uses_state is None else options.uses_state


def _validator_of(tool: Tool) -> SchemaValidator:
    try:
        return SchemaValidator(tool.parameters)
    except SchemaInvalid as error:
        raise SchemaInvalid(f"{type(tool).__name__}.parameters: {error.problem}") from error


def _check_class_tool(tool: Tool, options: ToolOptions) -> None:
    kind = type(tool).__name__
    missing = [name for name in ("name", "description", "parameters") if not hasattr(tool, name)]
    if missing:
        raise TypeError(f"{kind} is no tool yet; a class tool sets {', '.join(missing)}")
    if not isinstance(tool.parameters, Mapping):
        raise TypeError(f"{kind}.parameters is {tool.parameters!r}; it has to be a JSON Schema, a dict")
    if not _accepts_call(tool.run):
        raise TypeError(f"{kind}.run is called as run(args, ctx); write `async def run(self, args, ctx)`")
    try:
        check_options(options, tool.parameters)
    except Fault as fault:
        raise declaration_error(tool, fault) from fault


def _accepts_call(run: Callable[..., object]) -> bool:
    try:
        inspect.signature(run).bind({}, None)
    except TypeError:
        return False
    return True


def _refuse_classes_and_agents(tool: object) -> None:
    if isinstance(tool, type):
        raise TypeError(
            f"{tool.__name__} is a class; register a function or an instance of a class tool, {tool.__name__}(…)"
        )
    if not isinstance(tool, Tool | ModuleType) and hasattr(type(tool), "dispatchers"):
        raise TypeError(f"{type(tool).__name__} is an agent and no tool; write AgentTool(…) around it")


def check_inverses(tools: Iterable[RegisteredTool], among: Iterable[RegisteredTool]) -> None:
    """Check that the inverses of `tools` are registered functions.

    Raises:
        SignatureInvalid: an inverse is unknown, or needs arguments that the function may be called without.
        ValueError: the same for a class tool.
    """
    known = {tool.name: tool for tool in among}
    for tool in tools:
        name = tool.options.undo
        if isinstance(name, str):
            try:
                _check_inverse(tool.spec.parameters, name, known)
            except Fault as fault:
                raise declaration_error(tool.source, fault) from fault


def _check_inverse(parameters: Mapping[str, object], name: str, known: Mapping[str, RegisteredTool]) -> None:
    inverse = known.get(name)
    if inverse is None:
        near = nearest(name, known)
        first = f"Write undo={near!r}." if near else "Register that function too."
        raise Fault("", f"undo={name!r} is no function", f"{first} {_OTHER_FIX}")
    missing = ", ".join(sorted({*required_of(inverse.spec.parameters)} - {*required_of(parameters)}))
    if missing:
        problem = f"undo={name!r} needs {missing}, which the tool may be called without"
        raise Fault("", problem, f"Give {name} the same arguments. {_OTHER_FIX}")
