"""Convert what an MCP server returns to a tool result: text, structured content, and files of the answer."""

import base64
import binascii
import mimetypes
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from bot.tools.servers.answers import fed, shown
from bot.tools.servers.echoes import EchoedSecretMask
from function_calls.language.messages import say
from function_calls.tools.calls import SentFile, ToolResult

if TYPE_CHECKING:
    from mcp.types import (
        BlobResourceContents,
        CallToolResult,
        ContentBlock,
        GetPromptResult,
        ReadResourceResult,
        TextResourceContents,
    )

_MOST_FILES: Final = 10
_LARGEST_FILES: Final = 10_000_000  # bytes of all files of one result
_LONGEST_NAME: Final = 80


class _Parts(Struct, kw_only=True):
    """The parts of a result: `texts` for people, `lines` for a model, which has one more for each file, and files."""

    texts: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    files: list[SentFile] = field(default_factory=list)

    def add_text(self, text: str) -> None:
        self.texts.append(text)
        self.lines.append(text)

    def add_file(self, data: str, media_type: str, name: str) -> None:
        """Add base64 `data` as a file; where it is no file or too much, only its name is added."""
        content, left = _decode(data), _LARGEST_FILES - sum(len(each.content) for each in self.files)
        if not content or len(content) > left or len(self.files) >= _MOST_FILES:
            self.add_text(f"[{name}, {media_type}: left out]")
            return
        self.files.append(SentFile(name=name, media_type=media_type, content=content))
        self.lines.append(f"[{name}, {media_type}: sent to the chat]")


def tool_result(name: str, result: "CallToolResult", language: str, echoes: EchoedSecretMask) -> ToolResult:
    """Return the result of a call, without the secrets that `echoes` masks in its texts.

    Images, audio and binary resources become files; structured content is the value for a model.
    """
    parts = _parts(result.content)
    text = echoes.text("\n".join(parts.texts))
    if result.is_error:
        return ToolResult.failed(
            shown(text) or "the server reported an error",
            text=say(language, "failed.tool", tool=name, why=shown(text)[:200]),
        )
    value: object = echoes.text("\n".join(parts.lines))
    if result.structured_content is not None:
        value = echoes.value(result.structured_content)
    is_silent = bool(parts.files) and not text
    return ToolResult(
        ok=True, text="" if is_silent else shown(text or value), value=fed(value), files=tuple(parts.files)
    )


def prompt_result(result: "GetPromptResult", echoes: EchoedSecretMask) -> ToolResult:
    """Return a prompt with its arguments, masked likewise."""
    return _readable(_parts(each.content for each in result.messages), "\n\n", echoes)


def resource_result(result: "ReadResourceResult", echoes: EchoedSecretMask) -> ToolResult:
    """Return the contents of a resource, masked likewise."""
    parts = _Parts()
    for each in result.contents:
        _add_resource(parts, each)
    return _readable(parts, "\n", echoes)


def _readable(parts: _Parts, between: str, echoes: EchoedSecretMask) -> ToolResult:
    text, value = (echoes.text(between.join(each)) for each in (parts.texts, parts.lines))
    return ToolResult(ok=True, text=shown(text), value=fed(value), files=tuple(parts.files))


def _parts(blocks: "Iterable[ContentBlock]") -> _Parts:
    parts = _Parts()
    for block in blocks:
        match block.type:
            case "text":
                parts.add_text(block.text)
            case "image" | "audio":
                name = f"{block.type}-{len(parts.files) + 1}{mimetypes.guess_extension(block.mime_type) or ''}"
                parts.add_file(block.data, block.mime_type, name)
            case "resource":
                _add_resource(parts, block.resource)
            case "resource_link":
                parts.add_text(f"[{block.name}: {block.uri}]")
    return parts


def _add_resource(parts: _Parts, resource: "TextResourceContents | BlobResourceContents") -> None:
    text = getattr(resource, "text", None)
    if text is not None:
        parts.add_text(text)
        return
    media_type = resource.mime_type or "application/octet-stream"
    name = "".join(each for each in PurePosixPath(str(resource.uri)).name if each.isprintable())[-_LONGEST_NAME:]
    parts.add_file(getattr(resource, "blob", ""), media_type, name or "resource")


def _decode(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        return b""
