"""List the tools, prompts and resources of an MCP server as tool specs."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final, Literal, TypeVar

from loguru import logger
from mcp import Client, MCPError
from mcp.types import PaginatedResult, Prompt, Tool
from msgspec import Struct, field
from msgspec.structs import replace

from bot.tools.servers.echoed_secrets import EchoedSecretMask
from bot.tools.servers.mcp.servers import ConfirmMode, McpServer, needs_confirmation
from function_calls.tools.calls import ToolSpec
from function_calls.tools.errors import SchemaInvalid
from function_calls.tools.validation.schema_walk import properties_of
from function_calls.toolsets.openapi.bundle import safe_schema
from function_calls.toolsets.openapi.document import DocumentInvalid
from function_calls.toolsets.openapi.operation import is_query_name
from function_calls.toolsets.openapi.texts import sanitize_description, tool_name

READ_RESOURCE: Final = "read_resource"
PROMPT: Final = "prompt_"
_MAX_NAMED: Final = 20
_MAX_FIELDS: Final = 20  # of a result
_MAX_RESULT_LINE_LENGTH: Final = 600
_MAX_PAGES: Final = 50
_MAX_TOOLS: Final = 500
_MAX_PROMPTS: Final = 100  # prompts, and resources, of one server


def tool_spec(tool: Tool, label: str, confirm: ConfirmMode, taken: Collection[str]) -> ToolSpec:
    """Return the spec of a tool: a safe name, description and schema, and the fields of its result."""
    changes = _changes_state(tool, label)
    about = sanitize_description(tool.description) or sanitize_description(tool.title, 200) or tool.name
    return ToolSpec(
        name=tool_name(tool.name, "tool", label, taken),
        description="\n".join(filter(None, (about, _result_line(tool.output_schema or {})))),
        parameters=safe_schema(tool.input_schema),
        changes_state=changes,
        confirm=needs_confirmation(confirm, changes_state=changes),
    )


def resource_spec(uris: Sequence[str], taken: Collection[str]) -> ToolSpec:
    """Return the spec of the tool that reads the resources of a server."""
    named = ", ".join(sanitize_description(uri, 120) for uri in uris[:_MAX_NAMED])
    more = " and more" if len(uris) > _MAX_NAMED else ""
    return ToolSpec(
        name=tool_name(READ_RESOURCE, "tool", "", taken),
        description=f"Read a resource of this server: {named}{more}.",
        parameters={
            "type": "object",
            "properties": {"uri": {"type": "string", "description": "The address of the resource."}},
            "required": ["uri"],
            "additionalProperties": False,
        },
    )


def prompt_spec(prompt: Prompt, label: str, taken: Collection[str]) -> ToolSpec:
    """Return the spec of the tool that fetches a prompt; all arguments of prompts are texts."""
    arguments = prompt.arguments or []
    about = sanitize_description(prompt.description) or sanitize_description(prompt.title, 200)
    schema = {
        "type": "object",
        "properties": {each.name: {"type": "string", "description": each.description or ""} for each in arguments},
        "required": [each.name for each in arguments if each.required],
        "additionalProperties": False,
    }
    return ToolSpec(
        name=tool_name(f"{PROMPT}{prompt.name}", "prompt", label, taken),
        description=f"A prepared request of this server. {about}".strip(),
        parameters=safe_schema(schema),
    )


def _result_line(schema: Mapping[str, object]) -> str:
    """Return the fields of an output schema in one line for a model; empty if there are none, or only a text."""
    fields = properties_of(schema)
    named = [f"{name} ({_kind(part)})" for name, part in islice(fields.items(), _MAX_FIELDS)]
    if named in ([], ["result (string)"]):
        return ""
    more = ", …" if len(fields) > _MAX_FIELDS else ""
    return sanitize_description(f"Returns {', '.join(named)}{more}.", _MAX_RESULT_LINE_LENGTH)


def _kind(part: object) -> str:
    """Return the type of a field, with the type of its items and its description."""
    if not isinstance(part, Mapping):
        return "any"
    items, about, kind = part.get("items"), part.get("description"), part.get("type", "any")
    text = " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    if isinstance(items, Mapping) and "type" in items:
        text = f"array of {items['type']}"
    return f"{text}: {about.rstrip('.')}" if isinstance(about, str) and about else text


def _changes_state(tool: Tool, label: str) -> bool:
    """Return whether a call may change something, by the hint of the server, or else by the verb of its name."""
    hints = tool.annotations
    if hints is not None and hints.read_only_hint is not None:
        return not hints.read_only_hint
    return not is_query_name(tool.name.removeprefix(f"{label}_").removeprefix(f"{label}-"))


Page = TypeVar("Page", bound=PaginatedResult)


class McpTarget(Struct, frozen=True, kw_only=True):
    """The target of a call on the server: a tool or a prompt with its name, or any resource."""

    kind: Literal["tool", "prompt", "resource"]
    name: str = ""


class McpListing(Struct, frozen=True, kw_only=True):
    """The offered tools with the target of each."""

    specs: tuple[ToolSpec, ...] = ()
    targets: Mapping[str, McpTarget] = field(default_factory=dict)


async def fetch_listing(client: Client, server: McpServer, mask: EchoedSecretMask) -> McpListing:
    """List what a server offers and the settings allow.

    Secrets of the bot are masked; a tool with a secret in its name is left out.
    """
    specs: list[ToolSpec] = []
    targets: dict[str, McpTarget] = {}
    for target, make_spec in _offers(server, await _tools(client), await _prompts(client), await _resources(client)):
        try:
            spec = mask.spec(make_spec(targets))
        except (DocumentInvalid, SchemaInvalid) as error:
            logger.warning("skipped {} {} of {}: {}", target.kind, target.name, server.label, error)
            continue
        if spec is None:
            logger.warning("skipped a {} of {} with a secret in its name", target.kind, server.label)
            continue
        examples = server.examples.get(spec.name, ())
        specs.append(replace(spec, examples=examples, timeout_seconds=server.timeout_seconds))
        targets[spec.name] = target
    return McpListing(specs=tuple(specs), targets=targets)


def _offers(
    server: McpServer, tools: Sequence[Tool], prompts: Sequence[Prompt], resources: Sequence[str]
) -> Iterator[tuple[McpTarget, Callable[[Collection[str]], ToolSpec]]]:
    """Yield the targets that the settings allow, each with a function from the taken names to its spec."""
    for tool in tools:
        if tool.execution is not None and tool.execution.task_support == "required":
            # Only in protocol 2025-11-25, whose tasks are other than those of the extension.
            logger.debug("skipped tool {} of {}: it runs as a task of an older protocol", tool.name, server.label)
        elif server.allows(tool.name):
            yield McpTarget(kind="tool", name=tool.name), partial(tool_spec, tool, server.label, server.confirm)
    for prompt in prompts:
        if server.allows(f"{PROMPT}{prompt.name}"):
            yield McpTarget(kind="prompt", name=prompt.name), partial(prompt_spec, prompt, server.label)
    if resources and server.allows(READ_RESOURCE):
        yield McpTarget(kind="resource"), partial(resource_spec, resources)


async def _tools(client: Client) -> list[Tool]:
    found: list[Tool] = []
    async for page in _pages(lambda cursor: client.list_tools(cursor=cursor)):
        found.extend(page.tools)
        if len(found) >= _MAX_TOOLS:
            break
    return found[:_MAX_TOOLS]


async def _prompts(client: Client) -> list[Prompt]:
    found: list[Prompt] = []
    if client.server_capabilities.prompts is None:
        return found
    async for page in _pages(lambda cursor: client.list_prompts(cursor=cursor)):
        found.extend(page.prompts)
    return found[:_MAX_PROMPTS]


async def _resources(client: Client) -> tuple[str, ...]:
    found: list[str] = []
    if client.server_capabilities.resources is None:
        return ()
    async for page in _pages(lambda cursor: client.list_resources(cursor=cursor)):
        found.extend(str(each.uri) for each in page.resources)
    try:
        async for patterns in _pages(lambda cursor: client.list_resource_templates(cursor=cursor)):
            found.extend(each.uri_template for each in patterns.resource_templates)
    except MCPError as error:
        logger.debug("could not list resource templates: {}", error)  # not all servers have the method
    return tuple(found[:_MAX_PROMPTS])


async def _pages(ask: Callable[[str | None], Awaitable[Page]]) -> AsyncIterator[Page]:
    """Yield the pages of a list, at most `_MAX_PAGES`: a server may never end its list."""
    cursor = None
    for _ in range(_MAX_PAGES):
        page = await ask(cursor)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return
