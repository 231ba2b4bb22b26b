"""Connect to one MCP server over stdio or streamable HTTP, list and call its tools, and reconnect when it is gone."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

import httpx2
from loguru import logger
from mcp import Client, MCPError
from mcp.client import ClientSession
from mcp.client._transport import Transport
from mcp.client.session import ClientRequestContext, IncomingMessage
from mcp.client.subscriptions import ListenNotSupportedError
from mcp.shared.dispatcher import ProgressFnT
from mcp.types import (
    HEADER_MISMATCH,
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    Implementation,
    Result,
    TextContent,
)
from msgspec.structs import replace
from pydantic import ValidationError

from bot import __version__
from bot.tools.servers.mcp.input_requests import form_of, input_responses
from bot.tools.servers.mcp.listing import McpListing, fetch_listing
from bot.tools.servers.mcp.oauth import TokenFile
from bot.tools.servers.mcp.results import prompt_result, resource_result, tool_result
from bot.tools.servers.mcp.servers import McpServer
from bot.tools.servers.mcp.task_messages import CreateTaskResult
from bot.tools.servers.mcp.tasks import TasksExtension, answer_task, follow_task
from bot.tools.servers.mcp.transport import open_transport
from bot.tools.servers.responses import ServerUnavailable
from function_calls.language.messages import Message, say
from function_calls.tools.calls import Form, ToolResult, ToolSpec
from function_calls.tools.confirmation.forms import is_safe
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Viewer, unknown_tool
from function_calls.toolsets.source import Health
from services.kernel.background_tasks import run_beside
from services.kernel.errors import ToolFailed
from services.kernel.network import growing_pauses

_FIRST_PAUSE: Final = 1.0  # seconds; doubled after each failure
_MAX_PAUSE: Final = 120.0
_STABLE_SECONDS: Final = 30.0  # after a connection of this length the pauses start from the first again
_REFRESH_SECONDS: Final = 60.0
_CONNECT_WITHIN: Final = 30.0
_MAX_ERROR_LENGTH: Final = 600
_MAX_ROUNDS: Final = 60
_POLL_EVERY: Final = 1.0  # seconds; while a server waits for something other than input of the person
_CHANGES: Final = {f"notifications/{each}/list_changed" for each in ("tools", "prompts", "resources")}


class McpToolset:
    """Offers the tools and prompts of one server, and its resources as one more tool; none while not connected.

    `first_try` is set after the first attempt to connect.
    """

    def __init__(
        self,
        server: McpServer,
        *,
        connect: Callable[[McpServer, asyncio.Event], Transport] = open_transport,
        first_pause: float = _FIRST_PAUSE,
    ) -> None:
        self.server = server
        self.title = server.name
        self._mask = server.secret_mask()
        self._connect = connect
        self._first_pause = first_pause
        self._client: Client | None = None
        self._listing = McpListing()
        self.health = Health(is_ok=False, detail=Message("server.not_connected"))
        self._changed = asyncio.Event()
        self._cancelled_questions = 0
        self.first_try = asyncio.Event()

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the tools of the server; none while not connected."""
        del viewer
        return self._listing.specs

    async def run(self) -> None:
        """Stay connected; reconnect after failures, with pauses of up to two minutes."""
        pauses, loop = growing_pauses(self._first_pause, _MAX_PAUSE), asyncio.get_running_loop()
        while True:
            started = loop.time()
            problem = await self._run_connection()
            self._on_disconnect(problem)
            if loop.time() - started > _STABLE_SECONDS:
                pauses = growing_pauses(self._first_pause, _MAX_PAUSE)
            pause = next(pauses)
            logger.warning("MCP server {}: {}; reconnecting in {:.0f} s", self.server.label, problem, pause)
            await asyncio.sleep(pause)

    async def _run_connection(self) -> Message | str:
        """Hold a connection until it ends, and return the reason.

        It has its own task: when the bot stops, the SDK may answer the cancellation with an error, which is not the
        server's.
        """
        connection = asyncio.create_task(self._hold_connection(), name=f"connection to {self.server.label}")
        try:
            await asyncio.wait([connection])
        finally:
            connection.cancel()
            await asyncio.gather(connection, return_exceptions=True)
        error = None if connection.cancelled() else connection.exception()
        if isinstance(error, ServerUnavailable):
            return self._mask.message(error.problem)
        return Message("server.ended") if error is None else self._mask.message(describe_error(error))

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Call a tool of the server; a cancellation cancels the call there too."""
        target, client = self._listing.targets.get(name), self._client
        if target is None or client is None:
            return unknown_tool(name, self._listing.targets, context.language)
        try:
            if target.kind == "resource":
                return resource_result(await client.read_resource(str(arguments["uri"])), self._mask)
            if target.kind == "prompt":
                texts = {key: str(value) for key, value in arguments.items()}
                return prompt_result(await client.get_prompt(target.name, texts), self._mask)
            return await self._call_tool(client, target.name, name, arguments, context)
        except MCPError as error:
            self._changed.set()
            raise ServerUnavailable(self._mask.text(f"{self.server.name}: {error}")) from error
        except (RuntimeError, ValidationError) as error:  # a failed task, or an answer of the wrong form
            raise ToolFailed(
                self._mask.text(f"{self.server.name}: {describe_error(error)}")[:_MAX_ERROR_LENGTH]
            ) from error

    async def _call_tool(
        self, client: Client, name: str, shown_as: str, arguments: Mapping[str, object], context: CallContext
    ) -> ToolResult:
        async def report(message: str) -> None:
            await context.progress(self._mask.text(message))

        async def report_share(progress: float, total: float | None, message: str | None) -> None:
            share = f"{progress:g}/{total:g}" if total else f"{progress:g}"
            await report(f"{message} ({share})" if message else share)

        form, cancelled = context.form, self._cancelled_questions
        for _ in range(_MAX_ROUNDS):
            result: Result
            if form is not None and form.task_id:
                await answer_task(client.session, form.task_id, input_responses(form))
                keys = [each.key for each in form.requests]
                result = await follow_task(self._session, name, form.task_id, report=report, answered_keys=keys)
            else:
                result = await self._send(client, name, arguments, form, report_share)
                if isinstance(result, CreateTaskResult):
                    result = await follow_task(self._session, name, result.task_id, report=report, task=result)
            if isinstance(result, CallToolResult):
                if self._cancelled_questions > cancelled:
                    note = say(context.language, "server.question_cancelled")
                    result.content.append(TextContent(text=note))
                return tool_result(shown_as, result, context.language, self._mask)
            form = form_of(result, self.server.name, self._mask)
            if form.requests and is_safe(form):
                return ToolResult(ok=False, error="the tool asks the person something", failure="denied", form=form)
            if form.requests:
                logger.warning("MCP server {} asks for a secret or an unencrypted address; declined", self.server.label)
                form = replace(form, is_declined=True)
            else:
                await asyncio.sleep(_POLL_EVERY)
        raise ToolFailed(f"{self.server.name} does not finish '{name}'")

    def _session(self) -> ClientSession | None:
        return None if self._client is None else self._client.session

    async def _send(
        self,
        client: Client,
        name: str,
        arguments: Mapping[str, object],
        form: Form | None,
        progress: ProgressFnT,
        *,
        is_repeated: bool = False,
    ) -> Result:
        """Send a call; if the headers that the tool's schema names have changed, list the tools and send it again."""
        try:
            return await client.session.call_tool(
                name,
                dict(arguments),
                read_timeout_seconds=self.server.request_seconds,
                progress_callback=progress,
                input_responses=None if form is None else input_responses(form),
                request_state=None if form is None else form.state,
                allow_input_required=True,
                allow_claimed=True,
            )
        except MCPError as error:
            if error.code != HEADER_MISMATCH or is_repeated:
                raise
        await self._list(client)
        return await self._send(client, name, arguments, form, progress, is_repeated=True)

    async def _hold_connection(self) -> None:
        ended = asyncio.Event()
        client = Client(
            self._connect(self.server, ended),
            message_handler=self._on_message,
            elicitation_callback=self._on_elicitation,
            client_info=Implementation(name="bubbles", version=__version__),
            cache=None,
            extensions=[TasksExtension()],
        )
        async with asyncio.timeout(_CONNECT_WITHIN) as deadline, client:
            await self._list(client)
            deadline.reschedule(None)
            async with run_beside(_watch_changes(client, self._changed), f"changes of {self.server.label}"):
                while not ended.is_set():
                    await self._wait(ended)
                    if not ended.is_set():
                        async with asyncio.timeout(_CONNECT_WITHIN):
                            await self._list(client)

    async def _wait(self, ended: asyncio.Event) -> None:
        """Wait until the connection ends, the tools may have changed, or the next refresh is due."""
        tasks = [asyncio.ensure_future(event.wait()) for event in (ended, self._changed)]
        try:
            await asyncio.wait(tasks, timeout=_REFRESH_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        self._changed.clear()

    async def _list(self, client: Client) -> None:
        if self.server.oauth is not None:
            self._mask = self.server.secret_mask(TokenFile(self.server.token_file).secrets)
        listing = await fetch_listing(client, self.server, self._mask)
        is_new = listing.specs != self._listing.specs
        if not is_new:
            listing = replace(listing, specs=self._listing.specs)  # equal specs stay the same objects
        self._client, self._listing, self.health = client, listing, Health()
        self.first_try.set()
        if is_new:
            logger.info("MCP server {} offers {} tools", self.server.label, len(listing.specs))

    async def _on_message(self, message: IncomingMessage) -> None:
        if getattr(message, "method", "") in _CHANGES:
            self._changed.set()

    async def _on_elicitation(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult | ErrorData:
        """Cancel an elicitation within a request: before protocol 2026-07-28, or for a prompt or a resource."""
        del context, params
        self._cancelled_questions += 1
        logger.warning(
            "MCP server {} asks a question within a request, which cannot wait; cancelled", self.server.label
        )
        return ElicitResult(action="cancel")

    def _on_disconnect(self, problem: Message | str) -> None:
        self._client, self._listing = None, McpListing()
        self.health = Health(is_ok=False, detail=problem)
        self.first_try.set()


async def _watch_changes(client: Client, changed: asyncio.Event) -> None:
    """Subscribe to changes of the lists, which protocol 2026-07-28 and later need, and set `changed` on each.

    It is also set when the subscription ends, since the server may be gone.
    """
    while True:
        try:
            async with client.listen(
                tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
            ) as subscription:
                changed.set()  # something may have changed between the listing and the subscription
                async for _ in subscription:
                    changed.set()
        except ListenNotSupportedError:
            return  # older servers notify without a subscription
        except Exception as error:  # noqa: BLE001 - the next listing shows the problem
            logger.debug("could not subscribe to tool changes: {}", error)
        changed.set()
        await asyncio.sleep(_REFRESH_SECONDS)


def describe_error(error: BaseException) -> Message | str:
    """Return the problem of `error`, or of the first error of a group or an answer."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"an answer is not valid MCP: {'.'.join(map(str, first['loc']))}: {first['msg']}"
    reason = str(error) or type(error).__name__
    if isinstance(error, FileNotFoundError):  # the command or the folder of a process
        return Message("server.no_command", {"path": error.filename})
    if isinstance(error, httpx2.TimeoutException):
        return Message("server.timeout")
    return Message("server.unreachable", {"reason": reason}) if isinstance(error, httpx2.TransportError) else reason
