"""Convert a result of an MCP server to a tool result with text, structured content and files."""

import base64
import binascii
import mimetypes
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Final

from mcp.types import (
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    GetPromptResult,
    ReadResourceResult,
    TextResourceContents,
)
from msgspec import Struct, field

from bot.tools.servers.echoed_secrets import EchoedSecretMask
from bot.tools.servers.responses import truncate_for_model, truncate_for_people
from function_calls.language.messages import say
from function_calls.tools.calls import SentFile, ToolResult

_MAX_FILES: Final = 10
_MAX_FILE_BYTES: Final = 10_000_000  # bytes of all files of one result
_MAX_NAME_LENGTH: Final = 80


class _Parts(Struct, kw_only=True):
    """The parts of a result: `texts` for people, `lines` for a model with one more for each file, and `files`.

    `lines_of_files` has the line of each file by its base64 data.
    """

    texts: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    files: list[SentFile] = field(default_factory=list)
    lines_of_files: dict[str, str] = field(default_factory=dict)

    def add_text(self, text: str) -> None:
        self.texts.append(text)
        self.lines.append(text)

    def add_file(self, data: str, media_type: str, name: str) -> None:
        """Add base64 `data` as a file, or only its name if it is invalid or too large."""
        content, left = _decode(data), _MAX_FILE_BYTES - sum(len(each.content) for each in self.files)
        if not content or len(content) > left or len(self.files) >= _MAX_FILES:
            self.lines_of_files[data] = f"[{name}, {media_type}: left out]"
            self.add_text(self.lines_of_files[data])
            return
        self.files.append(SentFile(name=name, media_type=media_type, content=content))
        self.lines_of_files[data] = f"[{name}, {media_type}: sent to the chat]"
        self.lines.append(self.lines_of_files[data])

    def without_files(self, value: object) -> object:
        """Return a JSON value with the line of a file instead of its base64 data."""
        if isinstance(value, Mapping):
            return {key: self.without_files(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.without_files(each) for each in value]
        return self.lines_of_files.get(value, value) if isinstance(value, str) else value


def tool_result(name: str, result: CallToolResult, language: str, mask: EchoedSecretMask) -> ToolResult:
    """Return the result of a call, its secrets masked.

    Images, audio and binary resources become files; structured content is the value for a model.
    """
    parts = _parts(result.content)
    text = mask.text("\n".join(parts.texts))
    if result.is_error:
        return ToolResult.failed(
            truncate_for_people(text) or "the server reported an error",
            text=say(language, "failed.tool", tool=name, why=truncate_for_people(text)[:200]),
        )
    value: object = mask.text("\n".join(parts.lines))
    if result.structured_content is not None:
        value = mask.value(parts.without_files(result.structured_content))
    is_silent = bool(parts.files) and not text
    return ToolResult(
        ok=True,
        text="" if is_silent else truncate_for_people(text or value),
        value=truncate_for_model(value),
        files=tuple(parts.files),
    )


def prompt_result(result: GetPromptResult, mask: EchoedSecretMask) -> ToolResult:
    """Return the messages of a prompt, its secrets masked."""
    return _join_parts(_parts(each.content for each in result.messages), "\n\n", mask)


def resource_result(result: ReadResourceResult, mask: EchoedSecretMask) -> ToolResult:
    """Return the contents of a resource, its secrets masked."""
    parts = _Parts()
    for each in result.contents:
        _add_resource(parts, each)
    return _join_parts(parts, "\n", mask)


def _join_parts(parts: _Parts, separator: str, mask: EchoedSecretMask) -> ToolResult:
    text, value = (mask.text(separator.join(each)) for each in (parts.texts, parts.lines))
    return ToolResult(
        ok=True, text=truncate_for_people(text), value=truncate_for_model(value), files=tuple(parts.files)
    )


def _parts(blocks: Iterable[ContentBlock]) -> _Parts:
    parts = _Parts()
    for block in blocks:
        match block.type:
            case "text":
                parts.add_text(block.text)
            case "image" | "audio":
                name = f"{block.type}-{len(parts.files) + 1}{_extension(block.mime_type)}"
                parts.add_file(block.data, block.mime_type, name)
            case "resource":
                _add_resource(parts, block.resource)
            case "resource_link":
                parts.add_text(f"[{block.name}: {block.uri}]")
    return parts


def _add_resource(parts: _Parts, resource: TextResourceContents | BlobResourceContents) -> None:
    text = getattr(resource, "text", None)
    if text is not None:
        parts.add_text(text)
        return
    media_type = resource.mime_type or "application/octet-stream"
    name = "".join(each for each in PurePosixPath(str(resource.uri)).name if each.isprintable())[-_MAX_NAME_LENGTH:]
    parts.add_file(getattr(resource, "blob", ""), media_type, name or "resource")


def _extension(media_type: str) -> str:
    """Return the extension of a media type with its dot, also of those that Python does not know: `audio/wav`."""
    subtype = media_type.partition("/")[2]
    return mimetypes.guess_extension(media_type) or (f".{subtype}" if subtype.isalnum() else "")


def _decode(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        return b""
