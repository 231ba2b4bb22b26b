"""Files of one folder, read and written from the chat, and programs run in it. Copy it into `plugins/`.

    [plugins.options.workspace]
    folder = "workspace"
    exec = true                     # off by default
    programs = ["ls", "python3"]    # nothing else can be run

Admins of a chat read and write; only the bot's owners run programs, and each time they are asked first.
"""

import asyncio
import os
import shlex
import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.plugins.contributions import Contributions
from function_calls import Receipt, ToolFailed, ToolResult, UndoStep, tool_function

_MOST_BYTES = 1_000_000
_MOST_FILES = 20
_MOST_OUTPUT = 20_000


class Options(BaseModel):
    """The table of this plugin."""

    model_config = ConfigDict(extra="forbid")

    folder: Path = Path("workspace")
    exec: bool = False
    programs: tuple[str, ...] = ()
    timeout_seconds: int = Field(30, ge=1, le=600)


class Workspace:
    """One folder that nothing leads out of."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.root = options.folder.resolve()
        self.root.mkdir(parents=True, exist_ok=True)

    def inside(self, path: str) -> Path:
        """The file that `path` names, links followed.

        Raises:
            ToolFailed: it lies outside of the folder.
        """
        try:
            found = (self.root / path).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise ToolFailed(f"{path!r} is no path") from error
        if not found.is_relative_to(self.root):
            raise ToolFailed(f"{path!r} lies outside of the workspace")
        return found

    def text_of(self, path: str) -> str:
        """What stands in a file.

        Raises:
            ToolFailed: it is missing, too large, or no text.
        """
        file = self.inside(path)
        try:
            if file.stat().st_size > _MOST_BYTES:
                raise ToolFailed(f"{path} is larger than {_MOST_BYTES} bytes")
            return file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ToolFailed(f"{path} is no text") from error
        except OSError as error:
            raise ToolFailed(f"{path} cannot be read: {error.strerror}") from error

    def keep(self, path: str, text: str) -> None:
        """Let a file hold `text`, wholly or, after a crash, not at all.

        Raises:
            ToolFailed: it cannot be written.
        """
        file = self.inside(path)
        if len(text.encode()) > _MOST_BYTES:
            raise ToolFailed(f"a file may have {_MOST_BYTES} bytes")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as draft:
                draft.write(text)
                draft.flush()
                os.fsync(draft.fileno())
            Path(draft.name).replace(file)
        except OSError as error:
            raise ToolFailed(f"{path} cannot be written: {error.strerror}") from error


@tool_function(permission="admins", returns_untrusted=True)
def read_file(
    workspace: Workspace,
    path: Annotated[str | None, Field(description="A single file. Use this OR paths.")] = None,
    paths: Annotated[list[str] | None, Field(max_length=_MOST_FILES, description="Several files at once.")] = None,
    start_line: Annotated[int | None, Field(ge=1, description="First line, from 1; single file only.")] = None,
    end_line: Annotated[int | None, Field(ge=1, description="Last line, included; single file only.")] = None,
    show_line_numbers: Annotated[bool, Field(description="Show line numbers.")] = True,
) -> str:
    """Read files of the workspace with line numbers, one (with a range) or several."""
    if (path is None) == (paths is None):
        raise ToolFailed("give either path or paths")
    if path is not None:
        return _numbered(workspace.text_of(path), start_line or 1, end_line, show_line_numbers)
    return "\n\n".join(f"== {each} ==\n{_read_or_why(workspace, each, show_line_numbers)}" for each in paths or ())


@tool_function(permission="admins", changes_state=True)
def write_file(
    workspace: Workspace,
    path: Annotated[str, Field(min_length=1, description="The file, relative to the workspace.")],
    content: Annotated[str, Field(description="What to write.")],
    mode: Annotated[
        Literal["overwrite", "append"], Field(description="overwrite, or append to the end.")
    ] = "overwrite",
) -> ToolResult:
    """Write a file of the workspace; long contents in several calls, the later ones with mode=append."""
    before = workspace.text_of(path) if workspace.inside(path).exists() else None
    text = content if mode == "overwrite" or before is None else before + content
    workspace.keep(path, text)
    earlier = {} if before is None else {"content": before}
    undo = UndoStep(name="workspace_restore", arguments={"path": path, **earlier})
    told = f"{path}: {len(text.encode())} bytes"
    return ToolResult(ok=True, text=told, receipts=(Receipt(action="written", subject=path, undo=undo),))


@tool_function(permission="admins", changes_state=True, is_only_for_undo=True, returns="reply")
def workspace_restore(workspace: Workspace, path: str, content: str | None = None) -> str:
    """Put a file back as it was; without content it was not there."""
    if content is None:
        workspace.inside(path).unlink(missing_ok=True)
        return f"{path} is gone again"
    workspace.keep(path, content)
    return f"{path} is as it was"


@tool_function(name="exec", permission="owner", confirm=True, changes_state=True, returns_untrusted=True, timeout=620)
async def execute(
    workspace: Workspace,
    command: Annotated[str, Field(min_length=1, max_length=2000, description="Program and arguments; no shell.")],
    timeout: Annotated[int | None, Field(ge=1, le=600, description="Seconds it may take.")] = None,  # noqa: ASYNC109 - the specification's name
) -> Mapping[str, object]:
    """Run a program of the allow list in the workspace and return what it prints."""
    words = _checked(workspace, command)
    seconds = min(timeout or workspace.options.timeout_seconds, workspace.options.timeout_seconds)
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(workspace.root), "LANG": "C.UTF-8"}
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=workspace.root,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolFailed(f"{words[0]} cannot be run: {error.strerror}") from error
    try:
        async with asyncio.timeout(seconds):
            printed = await _read(process)
            return {"exit_code": await process.wait(), "output": printed}
    except TimeoutError as error:
        raise ToolFailed(f"{words[0]} was stopped after {seconds} s") from error
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


def setup(add: Contributions) -> None:
    """Add reading and writing, and running where the operator wants it."""
    options = add.settings(Options)
    add.services.append(Workspace(options))
    add.functions += [read_file, write_file, workspace_restore]
    if options.exec:
        add.functions.append(execute)


def _read_or_why(workspace: Workspace, path: str, show_line_numbers: bool) -> str:
    try:
        return _numbered(workspace.text_of(path), 1, None, show_line_numbers)
    except ToolFailed as error:
        return f"[{error}]"


def _numbered(text: str, first: int, last: int | None, show_line_numbers: bool) -> str:
    lines = text.splitlines()[first - 1 : last]
    if not show_line_numbers:
        return "\n".join(lines)
    return "\n".join(f"{number:>5}  {line}" for number, line in enumerate(lines, start=first))


def _checked(workspace: Workspace, command: str) -> list[str]:
    """The words of a command that may be run: an allowed program, and no argument that leads out of the folder."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ToolFailed(f"the command cannot be read: {error}") from error
    if not words or words[0] not in workspace.options.programs:
        raise ToolFailed(f"only these can be run: {', '.join(workspace.options.programs) or 'none'}")
    for word in words[1:]:
        value = word.partition("=")[2] or word
        if value.startswith("~") or not (workspace.root / value).resolve().is_relative_to(workspace.root):
            raise ToolFailed(f"{word!r} lies outside of the workspace")
    return words


async def _read(process: asyncio.subprocess.Process) -> str:
    printed, is_cut = bytearray(), False
    while process.stdout is not None and (piece := await process.stdout.read(65_536)):
        is_cut = is_cut or len(printed) + len(piece) > _MOST_OUTPUT
        printed += piece[: max(0, _MOST_OUTPUT - len(printed))]
    return printed.decode(errors="replace") + ("\n[… more was printed]" if is_cut else "")
