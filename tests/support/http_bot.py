"""A whole bot with its HTTP API, for tests: in the process, or served on a free port."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from bot.app.application import build_app
from bot.app.registry import Functions
from bot.config.editor import SettingsEditor
from bot.config.settings import (
    BotSettings,
    HttpSettings,
    LogSettings,
    ModelSettings,
    RouterSettings,
    SearchSettings,
    Settings,
    ToolServerSettings,
)
from bot.http.core.context import HttpContext
from bot.http.server.server import serve
from bot.platforms.web.adapter import WebPlatform
from bot.platforms.web.files import RoomFiles
from bot.testing.in_memory import NO_PLUGINS
from function_calls.tools.calls import Interpreter
from services.kernel.clock import Clock, SystemClock
from services.storage.database import Database


@asynccontextmanager
async def http_bot(
    *,
    interpreter: Interpreter | None = None,
    clock: Clock | None = None,
    database: str = "sqlite://",
    http: HttpSettings | None = None,
    tool_servers: ToolServerSettings | None = None,
    search: SearchSettings | None = None,
    router: RouterSettings | None = None,
    model: ModelSettings | None = None,
    files: Path | None = None,
    functions: Sequence[Functions] = (),
    editor: SettingsEditor | None = None,
) -> AsyncIterator[HttpContext]:
    """Run a bot with the web room, and without a model unless `interpreter` is given; `database` is a SQLAlchemy URL.

    Uploads are stored in `files`, and refused without it.
    """
    clock = clock or SystemClock()
    settings = Settings(
        bot=BotSettings(timezone="UTC"),
        log=LogSettings(to_file=False),
        http=http or HttpSettings(port=0),
        tool_servers=tool_servers or ToolServerSettings(),
        search=search or SearchSettings(),
        router=router or RouterSettings(),
        model=model or ModelSettings(),
        plugins=NO_PLUGINS,
    )
    room = WebPlatform(clock=clock, bot_name=settings.bot.name, files=None if files is None else RoomFiles(files))
    async with build_app(
        settings,
        platforms=[room],
        functions=functions,
        interpreter=interpreter,
        clock=clock,
        database=Database(database),
    ) as app:
        yield HttpContext.of(app, room, settings, clock, editor)


@asynccontextmanager
async def served_bot(
    *,
    interpreter: Interpreter | None = None,
    clock: Clock | None = None,
    database: str = "sqlite://",
    http: HttpSettings | None = None,
    files: Path | None = None,
    tool_servers: ToolServerSettings | None = None,
    functions: Sequence[Functions] = (),
) -> AsyncIterator[tuple[str, HttpContext]]:
    """Serve such a bot; yield its address and context."""
    async with (
        http_bot(
            interpreter=interpreter,
            clock=clock,
            database=database,
            http=http,
            files=files,
            tool_servers=tool_servers,
            functions=functions,
        ) as context,
        serve(context) as address,
    ):
        yield address, context


def with_token(token: str, *, host: str = "127.0.0.1") -> HttpSettings:
    """Return settings of an API that requires `token`."""
    return HttpSettings(port=0, host=host, token=SecretStr(token))
