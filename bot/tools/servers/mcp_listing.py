"""List an MCP server's tools, prompts (one tool each) and resources (one tool for all)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeVar

from loguru import logger
from msgspec import Struct, field
from msgspec.structs import replace

from bot.tools.servers.echoes import EchoedSecretMask
from bot.tools.servers.mcp_servers import McpServer
from bot.tools.servers.mcp_tools import PROMPT, READ_RESOURCE, prompt_spec, resource_spec, tool_spec
from function_calls.tools.calls import ToolSpec
from function_calls.tools.errors import SchemaInvalid
from function_calls.toolsets.openapi.document import DocumentInvalid

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import Prompt, Tool

_MOST_PAGES: Final = 50
_MOST_TOOLS: Final = 500
_MOST_OTHERS: Final = 100  # prompts, and resources, of one server


class _Page(Protocol):
    next_cursor: str | None


Page = TypeVar("Page", bound=_Page)


class McpTarget(Struct, frozen=True, kw_only=True):
    """What a call of ours is there: a tool or a prompt with its name, or whatever resource is asked for."""

    kind: Literal["tool", "prompt", "resource"]
    name: str = ""


class McpListing(Struct, frozen=True, kw_only=True):
    """The tools that are offered, and where each leads; `resources` are addresses and patterns of addresses."""

    specs: tuple[ToolSpec, ...] = ()
    targets: Mapping[str, McpTarget] = field(default_factory=dict)
    resources: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()


async def mcp_listing(client: "Client", server: McpServer, echoes: EchoedSecretMask) -> McpListing:
    """Ask a server for all that it has, page by page, and take of it what the settings allow.

    Secrets of ours that stand in it are masked; a tool that has one in its name is left out.
    """
    made = _Making(server, echoes)
    tools = await _tools(client)
    prompts, resources = await _prompts(client), await _resources(client)
    for tool in tools:
        made.add_tool(tool)
    for prompt in prompts:
        made.add_prompt(prompt)
    made.add_resources(resources)
    return McpListing(
        specs=tuple(made.specs),
        targets=made.targets,
        resources=resources,
        prompts=tuple(prompt.name for prompt in prompts),
    )


class _Making:
    """Collects specs, each under a name of its own."""

    def __init__(self, server: McpServer, echoes: EchoedSecretMask) -> None:
        self._server = server
        self._echoes = echoes
        self.specs: list[ToolSpec] = []
        self.targets: dict[str, McpTarget] = {}

    def add_tool(self, tool: "Tool") -> None:
        if self._server.allows(tool.name):
            server = self._server
            self._add(
                McpTarget(kind="tool", name=tool.name),
                lambda: tool_spec(tool, server.label, server.confirm, self.targets),
            )

    def add_prompt(self, prompt: "Prompt") -> None:
        if self._server.allows(f"{PROMPT}{prompt.name}"):
            self._add(
                McpTarget(kind="prompt", name=prompt.name),
                lambda: prompt_spec(prompt, self._server.label, self.targets),
            )

    def add_resources(self, resources: tuple[str, ...]) -> None:
        if resources and self._server.allows(READ_RESOURCE):
            self._add(McpTarget(kind="resource"), lambda: resource_spec(resources, self.targets))

    def _add(self, target: McpTarget, make: Callable[[], ToolSpec]) -> None:
        try:
            made = self._echoes.spec(make())
        except (DocumentInvalid, SchemaInvalid) as error:
            logger.warning("skipped {} {} of {}: {}", target.kind, target.name, self._server.label, error)
            return
        if made is None:
            logger.warning("skipped a {} of {} with a secret in its name", target.kind, self._server.label)
            return
        spec = replace(made, examples=self._server.examples.get(made.name, ()))
        self.specs.append(spec)
        self.targets[spec.name] = target


async def _tools(client: "Client") -> "list[Tool]":
    found: list[Tool] = []
    async for page in _pages(lambda cursor: client.list_tools(cursor=cursor)):
        found.extend(page.tools)
        if len(found) >= _MOST_TOOLS:
            break
    return found[:_MOST_TOOLS]


async def _prompts(client: "Client") -> "list[Prompt]":
    """Return the prompts of a server that says that it has some."""
    found: list[Prompt] = []
    if client.server_capabilities.prompts is None:
        return found
    async for page in _pages(lambda cursor: client.list_prompts(cursor=cursor)):
        found.extend(page.prompts)
    return found[:_MOST_OTHERS]


async def _resources(client: "Client") -> tuple[str, ...]:
    """Addresses of resources, and patterns such as `notes://{day}`, of a server that says that it has some."""
    from mcp import MCPError

    found: list[str] = []
    if client.server_capabilities.resources is None:
        return ()
    async for page in _pages(lambda cursor: client.list_resources(cursor=cursor)):
        found.extend(str(each.uri) for each in page.resources)
    try:
        async for patterns in _pages(lambda cursor: client.list_resource_templates(cursor=cursor)):
            found.extend(each.uri_template for each in patterns.resource_templates)
    except MCPError as error:
        logger.debug("could not list resource templates: {}", error)  # a server need not know the question
    return tuple(found[:_MOST_OTHERS])


async def _pages(ask: Callable[[str | None], Awaitable[Page]]) -> AsyncIterator[Page]:
    """Page after page; a server that never ends its list is believed so far and no further."""
    cursor = None
    for _ in range(_MOST_PAGES):
        page = await ask(cursor)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return
