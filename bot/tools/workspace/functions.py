"""Offer the workspace to the bot's owners: read_file, write_file, exec, memory and spawn."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from msgspec.structs import replace
from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from bot.config.settings import Settings
from bot.tools.stored.runner import RunLimits, run_worker
from bot.tools.stored.sandbox import SandboxUnavailable, check_kernel
from bot.tools.workspace.files import Workspace, format_lines
from function_calls.conversation.agents.agent import Agent
from function_calls.conversation.agents.agent_tool import AgentTool
from function_calls.functions.memory.handlers import (
    MemoryForgetArgs,
    MemorySaveArgs,
    MemorySearchArgs,
    memory_forget,
    memory_save,
    memory_search,
)
from function_calls.functions.web import web_fetch
from function_calls.language.messages import say
from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.errors import ToolFailed
from services.language_model.ports import LanguageModel
from services.people.account_links import PeopleService
from services.people.memory import MemoryService
from services.search.web_pages.service import WebPageService

_MAX_FILES: Final = 20
_MAX_OUTPUT_LENGTH: Final = 20_000
_MAX_RUN_SECONDS: Final = 600
_START_SECONDS: Final = 20.0  # to wait for the lock and start, in addition to the limit of the command
_SPAWNED: Final = (
    "Work on the task with your tools until it is done, then say in short what you did and found. Files are those of"
    " one folder, the workspace. If something cannot be done, say what and why."
)
Value = TypeVar("Value")


class ReadFileArgs(TypedDict, total=False):
    """Arguments of `read_file`, with the names and descriptions of the specification."""

    __pydantic_config__ = ConfigDict(  # type: ignore[misc]  # Pydantic's way to configure a TypedDict
        extra="forbid", json_schema_extra={"oneOf": [{"required": ["path"]}, {"required": ["paths"]}]}
    )
    path: Annotated[
        str,
        Field(description="Path to a single file (relative to workspace or absolute). Use this OR 'paths', not both."),
    ]
    paths: Annotated[
        list[str],
        Field(
            max_length=_MAX_FILES,
            description="List of file paths for batch reading (more efficient than multiple calls). Use this OR"
            " 'path', not both.",
        ),
    ]
    start_line: Annotated[
        int,
        Field(
            ge=1,
            description="Start line number (1-based, inclusive). Only works in single file mode. Omit to start from"
            " beginning.",
        ),
    ]
    end_line: Annotated[
        int,
        Field(
            ge=1,
            description="End line number (1-based, inclusive). Only works in single file mode. Omit to read to end.",
        ),
    ]
    show_line_numbers: Annotated[bool, Field(description="Show line numbers in output (default: true)")]


def workspace_functions(settings: Settings, model: LanguageModel | None) -> list[object]:
    """Return the functions of the configured workspace; `spawn` only with a model.

    Raises:
        ConfigError: the folder contains files of the bot, or is inside one of its folders.
    """
    group = settings.workspace
    limits = RunLimits(
        seconds=group.exec_seconds, megabytes=group.exec_megabytes, folder_megabytes=group.folder_megabytes
    )
    apart_from = (settings.bot.data_dir, settings.plugins.folder)
    workspace = Workspace(Path(group.folder), megabytes=group.folder_megabytes, apart_from=apart_from)
    functions = WorkspaceFunctions(workspace, limits)
    return [functions, *([] if model is None else [functions.spawn(model)])]


class WorkspaceFunctions:
    """The functions of a workspace; registering the object registers them."""

    def __init__(self, workspace: Workspace, limits: RunLimits) -> None:
        self._workspace = workspace
        self._limits = limits

    @tool_function(permission="owner", returns_untrusted=True)
    async def read_file(self, args: ReadFileArgs) -> ToolResult:
        """Read file contents with line numbers.

        Supports single file or batch mode (multiple files in one call). Line ranges: start_line/end_line (1-based,
        inclusive). Examples:
        - Single: read_file(path='a.py')
        - Range: read_file(path='a.py', start_line=10, end_line=20)
        - Batch: read_file(paths=['a.py', 'b.py', 'skills/weather/SKILL.md'])
        Batch mode is more efficient for multiple files (saves tool calls).
        """
        is_numbered = args.get("show_line_numbers", True)
        if "path" in args:
            path, first = args["path"], args.get("start_line", 1)
            text = await self._run_locked(lambda: self._workspace.read(path))
            shown = format_lines(path, text, first, args.get("end_line"), is_numbered=is_numbered)
            return ToolResult(ok=True, text=shown)
        parts = [await self._run_locked(lambda: self._read_or_error(path, is_numbered)) for path in args["paths"]]  # noqa: B023 - awaited at once
        return ToolResult(ok=True, text="\n\n".join(parts))

    @tool_function(permission="owner", changes_state=True)
    async def write_file(
        self,
        path: Annotated[str, Field(min_length=1, description="Path to the file (relative to workspace or absolute)")],
        content: Annotated[str, Field(description="Content to write")],
        mode: Annotated[
            Literal["overwrite", "append"], Field(description="Write mode: 'overwrite' (default) or 'append'")
        ] = "overwrite",
    ) -> ToolResult:
        """Write content to a file.

        Two modes:
        - mode='overwrite' (default): create or overwrite the file
        - mode='append': append to end of file (creates if not exists)
        IMPORTANT: For large content (>2000 chars), you MUST split into multiple calls:
        1. write_file(path='a.html', content='<first part>') → create
        2. write_file(path='a.html', content='<second part>', mode='append')
        3. write_file(path='a.html', content='<third part>', mode='append')
        This prevents token limit truncation errors.
        """
        return await self._run_locked(lambda: self._write(path, content, is_appended=mode == "append"))

    @tool_function(permission="owner", changes_state=True, is_only_for_undo=True, returns="reply")
    async def workspace_restore(self, path: str, ctx: CallContext, content: str | None = None) -> str:
        """Restore the former content of a file; without content, remove it."""
        if content is None:
            await self._run_locked(lambda: self._workspace.remove(path))
            return say(ctx.language, "workspace.removed", path=path)
        await self._run_locked(lambda: self._workspace.write(path, content))
        return say(ctx.language, "workspace.restored", path=path)

    @tool_function(
        name="exec",
        permission="owner",
        confirm=True,
        changes_state=True,
        returns_untrusted=True,
        timeout=_MAX_RUN_SECONDS + _START_SECONDS,
    )
    async def run_command(
        self,
        command: Annotated[str, Field(min_length=1, max_length=10_000, description="The command, for /bin/sh")],
        timeout: Annotated[  # noqa: ASYNC109 - the specification's name
            int | None, Field(ge=1, le=_MAX_RUN_SECONDS, description="Seconds that it may take")
        ] = None,
    ) -> Mapping[str, object]:
        """Execute shell command in the workspace and return what it prints.

        It reaches the files of the workspace and the programs of the system, neither other files nor the network.
        """
        try:
            check_kernel()
        except SandboxUnavailable as error:
            raise ToolFailed(str(error)) from error
        seconds = min(float(timeout or self._limits.seconds), self._limits.seconds)
        limits = replace(self._limits, seconds=seconds)
        async with self._workspace.lock:
            result = await run_worker(
                "bot.tools.workspace.worker",
                {"command": command},
                str(self._workspace.root),
                limits,
                max_output_bytes=_MAX_OUTPUT_LENGTH,
            )
        output = result.output.decode(errors="replace") + ("\n[… more was printed]" if result.is_truncated else "")
        if result.ending == "late":
            raise ToolFailed(f"stopped after {seconds:g} s; its output: {output}")
        if result.ending == "full":
            raise ToolFailed(f"stopped: the files of the workspace may have {limits.folder_megabytes} MB together")
        return {"exit_code": result.exit_code, "output": output}

    @tool_function(permission="owner", changes_state=True, returns_untrusted=True)
    async def memory(
        self,
        action: Annotated[Literal["save", "search", "forget"], Field(description="What to do")],
        ctx: CallContext,
        memory: MemoryService,
        history: HistoryService,
        people: PeopleService,
        text: Annotated[
            str | None,
            Field(min_length=1, description="The fact to save, words to search (omit for all), or the id to forget"),
        ] = None,
    ) -> ToolResult:
        """Save a fact for later conversations, search the saved facts, or forget one."""
        if action == "search":
            found = await memory_search(MemorySearchArgs(query=text), ctx, memory, history, people)
            return replace(found, is_unchanged=True)
        if text is None:
            raise ToolFailed(f"{action} needs a text")
        if action == "save":
            return await memory_save(MemorySaveArgs(text=text), ctx, memory)
        return await memory_forget(MemoryForgetArgs(reference=text), ctx, memory, history, people)

    def spawn(self, model: LanguageModel) -> AgentTool:
        """Return the tool that gives a task to a sub-agent with the functions of this workspace."""
        agent = Agent(
            name="spawn",
            description="Give a task of several steps to a sub-agent that works in the workspace, and get its report.",
            instructions=_SPAWNED,
            model=model,
            tools=[self.read_file, self.write_file, self.run_command, self.memory, web_fetch],
            injectable=(MemoryService, HistoryService, PeopleService, WebPageService),
        )
        return AgentTool(agent, permission="owner")

    async def _run_locked(self, work: Callable[[], Value]) -> Value:
        async with self._workspace.lock:
            return await asyncio.to_thread(work)

    def _read_or_error(self, path: str, is_numbered: bool) -> str:
        try:
            return format_lines(path, self._workspace.read(path), is_numbered=is_numbered)
        except ToolFailed as error:
            return f"[File: {path} | Error: {error}]"

    def _write(self, path: str, content: str, *, is_appended: bool) -> ToolResult:
        before = self._workspace.read(path) if self._workspace.resolve(path).exists() else None
        text = content if before is None or not is_appended else before + content
        self._workspace.write(path, text)
        former = {} if before is None else {"content": before}
        undo = UndoStep(name="workspace_restore", arguments={"path": path, **former})
        size = f"{path}: {len(text.encode())} bytes"
        return ToolResult(ok=True, text=size, receipts=(Receipt(action="written", subject=path, undo=undo),))
