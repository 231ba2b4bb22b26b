"""Convert listings and results of MCP servers to tool specs and tool results."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from bot.tools.servers.answers import fed, shown
from bot.tools.servers.echoes import EchoedSecretMask
from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.toolsets.openapi.bundling import safe_schema
from function_calls.toolsets.openapi.operation import asks_only
from function_calls.toolsets.openapi.texts import tamed, tool_name

if TYPE_CHECKING:
    from mcp.types import CallToolResult, ContentBlock, GetPromptResult, Prompt, ReadResourceResult, Tool

READ_RESOURCE: Final = "read_resource"
PROMPT: Final = "prompt_"
_MOST_NAMED: Final = 20


def tool_spec(tool: "Tool", label: str, confirm: str, taken: Collection[str]) -> ToolSpec:
    """Return a listed tool as a spec: named and described safely, its schema rebuilt."""
    changes = _changes(tool, label)
    return ToolSpec(
        name=tool_name(tool.name, "tool", label, taken),
        description=tamed(tool.description) or tamed(tool.title, 200) or tool.name,
        parameters=safe_schema(tool.input_schema),
        changes_state=changes,
        confirm={"always": True, "never": False}.get(confirm, changes),
    )


def resource_spec(uris: Sequence[str], taken: Collection[str]) -> ToolSpec:
    """Return the tool that reads the resources of a server."""
    named = ", ".join(tamed(uri, 120) for uri in uris[:_MOST_NAMED])
    more = " and more" if len(uris) > _MOST_NAMED else ""
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


def prompt_spec(prompt: "Prompt", label: str, taken: Collection[str]) -> ToolSpec:
    """Return the tool that fetches a prompt, filled in; all arguments of prompts are texts."""
    arguments = prompt.arguments or []
    about = tamed(prompt.description) or tamed(prompt.title, 200)
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


def prompt_result(result: "GetPromptResult", echoes: EchoedSecretMask) -> ToolResult:
    """Return a prompt as it is filled in, without the secrets that `echoes` masks."""
    text = echoes.text("\n\n".join(_block(each.content) for each in result.messages))
    return ToolResult(ok=True, text=shown(text), value=fed(text))


def resource_result(result: "ReadResourceResult", echoes: EchoedSecretMask) -> ToolResult:
    """Return the contents of a resource, masked likewise; a content that is no text is named."""
    parts = (getattr(each, "text", None) or f"[{each.mime_type or 'binary'}]" for each in result.contents)
    text = echoes.text("\n".join(parts))
    return ToolResult(ok=True, text=shown(text), value=fed(text))


def result_of(name: str, result: "CallToolResult", language: str, echoes: EchoedSecretMask) -> ToolResult:
    """Return the result of a call, masked likewise."""
    text = echoes.text("\n".join(_block(each) for each in result.content))
    if result.is_error:
        return ToolResult.failed(
            shown(text) or "the server reported an error",
            text=say(language, "failed.tool", tool=name, why=shown(text)[:200]),
        )
    structured = result.structured_content
    value = fed(text if structured is None else echoes.value(structured))
    return ToolResult(ok=True, text=shown(text or value), value=value)


def _changes(tool: "Tool", label: str) -> bool:
    """Return whether a call may change something: the server's own hint, else its name, which must only ask."""
    hints = tool.annotations
    if hints is not None and hints.read_only_hint is not None:
        return not hints.read_only_hint
    return not asks_only(tool.name.removeprefix(f"{label}_").removeprefix(f"{label}-"))


def _block(block: "ContentBlock") -> str:
    if block.type == "text":
        return block.text
    if block.type == "resource":
        text = getattr(block.resource, "text", None)
        return text if isinstance(text, str) else f"[resource {block.resource.uri}]"
    if block.type == "resource_link":
        return f"[{block.name}: {block.uri}]"
    return f"[{block.type}, {block.mime_type}]"
