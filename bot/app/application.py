"""Composition root: build a bot from its settings and run it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager

from loguru import logger
from msgspec import Struct

from bot.app.chats import Chats, open_chats
from bot.app.connections import DRAIN_SECONDS, Connections
from bot.app.infrastructure import Infrastructure, infrastructure
from bot.app.integrity_check import check_integrity_daily
from bot.app.language_models import language_model, model_interpreter
from bot.app.model_stack import ModelStack, model_stack
from bot.app.registry import Functions, Parts, built_in_registry, wired
from bot.app.retention import delete_expired_daily
from bot.app.search_engines import create_search_service
from bot.app.services import create_services
from bot.app.settings_checks import check_configured_names
from bot.config.settings import Settings
from bot.inbound.command_menus import offer_commands
from bot.inbound.middleware.access import Access
from bot.inbound.middleware.pace import Pace
from bot.inbound.recovery import Recovery
from bot.inbound.router import MessageRouter
from bot.inbound.turn_claims import TurnCoordinator
from bot.inbound.turns import TurnFactory
from bot.inbound.welcome import Welcome
from bot.observability.metrics import Counts
from bot.observability.model_latency import ModelLatency
from bot.observability.redaction import mask_failures
from bot.observability.watchdog import Watchdog
from bot.outbound.delivery_retry import DeliveryRetry
from bot.outbound.outbox import Outbox
from bot.outbound.remote_outbox import RemoteOutbox
from bot.platforms.base import Platform
from bot.plugins.contributions import Host
from bot.plugins.manager import PluginManager
from bot.tools.servers.sources import ToolSources, tool_sources
from function_calls.conversation.assistant import Assistant
from function_calls.model_calls.hooks import HookedInterpreter
from function_calls.offline.interpreter import OfflineInterpreter
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpreter
from function_calls.tools.context import Services
from function_calls.tools.policy import CallPolicy
from services.kernel.background_tasks import running_tasks
from services.kernel.clock import Clock, SystemClock
from services.kernel.state import StateStore
from services.reminders.delivery.worker import DeliveryConfig
from services.reminders.service import ReminderService
from services.scheduling.timetable import ApschedulerTimetable, Timetable
from services.storage.database import Database
from services.storage.messages.unanswered import UnansweredMessages
from services.storage.tools.store import SqlStoredToolStore
from services.storage.workers.turn_claims import Key


class App(Struct, kw_only=True):
    """A running bot. `finished` returns when every platform's input has ended and its messages are answered."""

    router: MessageRouter
    registry: Registry
    services: Services
    outbox: Outbox
    calls: FunctionCallRouter
    turns: TurnFactory
    assistant_with: Callable[[Interpreter], Assistant]
    access: Access
    pace: Pace
    interpreter: Interpreter
    offline: OfflineInterpreter
    has_model: bool
    model_latency: ModelLatency
    tools: ToolSources
    state: StateStore
    database: Database
    platforms: tuple[Platform, ...]
    counts: Counts
    plugins: PluginManager
    relay: RemoteOutbox | None
    claimed: TurnCoordinator | None
    connections: Connections

    async def finished(self) -> None:
        """Wait for the platforms to end, then for what is still being answered."""
        await self.connections.finished()

    async def ended(self, name: str) -> None:
        """Wait until the input of one platform has ended."""
        await self.connections.ended(name)

    async def settled(self) -> None:
        """Wait a while for the messages that are being answered, so that a stop cuts nobody off."""
        await self.connections.settled()


@asynccontextmanager
async def build_app(
    settings: Settings | None = None,
    *,
    platforms: Sequence[Platform] = (),
    functions: Sequence[Functions] = (),
    services: Sequence[object] = (),
    interpreter: Interpreter | None = None,
    clock: Clock | None = None,
    database: Database | None = None,
    timetable: Timetable | None = None,
    pace: DeliveryConfig | None = None,
    watchdog: Watchdog | None = None,
) -> AsyncIterator[App]:
    """Wire a bot and run it for as long as the context lasts.

    Args:
        settings: what the operator chose; the defaults otherwise.
        platforms: the chats to serve.
        functions: modules or objects whose `@tool_function`s are offered besides the built-in ones.
        services: objects that these functions ask for by annotating a parameter with their class.
        interpreter: understands messages instead of the configured model.
        clock: tells the time; the machine's by default.
        database: where everything is kept instead of the configured one; it is entered here.
        timetable: wakes the services up instead of APScheduler.
        pace: how the reminders are delivered.
        watchdog: notes which message is handled, and knows those that must not be read again; entered by the caller.

    Raises:
        StorageBusy: another process uses the same database file.
    """
    settings, clock, pace = settings or Settings(), clock or SystemClock(), pace or DeliveryConfig()
    async with AsyncExitStack() as resources:
        enter = resources.enter_async_context
        ground = await enter(infrastructure(settings, clock, database or Database(settings.database_url)))
        if timetable is None:
            timetable = await enter(ApschedulerTimetable())
        model = await enter(model_stack(ground, None if interpreter else language_model(settings.model)))
        oversight = CallPolicy.over(ground.state, clock, owners=settings.bot.owners)
        plugins = await enter(aclosing(PluginManager(settings.plugins, clock, oversight.switches, model.asked)))
        plugins.refuse_taken(platform.name for platform in platforms)
        chats = await enter(open_chats(ground, (*platforms, *plugins.platforms())))
        for finding in check_configured_names(settings, (platform.name for platform in chats.platforms)):
            logger.warning("settings: {}: {}", finding.about, finding.said)
        search = await create_search_service(settings.search, clock, resources, plugins.engines())
        speechless: set[str] = set()
        offered = create_services(ground, chats, model.asked, search, pace=pace, speechless=speechless)
        for service in services:
            offered.add(service)
        offline = OfflineInterpreter(read_times=ground.times.parse_all, searches_web=search.is_configured)
        if interpreter is None and model.asked is not None:
            interpreter = model_interpreter(model.asked, settings.model, ground.times)
        chosen = offline if interpreter is None else HookedInterpreter(interpreter, plugins.model_hooks)
        parts = Parts(
            settings=settings,
            clock=clock,
            services=offered,
            outbox=chats.outbox,
            drafts=chats.drafts,
            registry=built_in_registry(functions, injectable=map(type, services)),
            states=ground.scopes,
            oversight=oversight,
            interpreter=chosen,
            offline=offline,
            purse=model.purse,
            plugins=plugins,
            telemetry=model.telemetry,
            claimed=chats.claimed,
            watchdog=watchdog,
            listener_for=chats.listener,
        )
        way = wired(parts)
        way.calls.hooks.after.append(mask_failures(ground.mask))
        tools = await enter(_tools(ground, way.calls, plugins))
        given_up = DeliveryRetry(offered.get(ReminderService), clock, speechless)
        app = App(
            router=way.router,
            registry=parts.registry,
            services=offered,
            outbox=chats.outbox,
            calls=way.calls,
            turns=way.turns,
            assistant_with=way.assistant_with,
            access=way.access,
            pace=way.pace,
            interpreter=chosen,
            offline=offline,
            has_model=chosen is not offline,
            model_latency=model.latency,
            tools=tools,
            state=ground.state,
            database=ground.database,
            platforms=chats.platforms,
            counts=ground.counts,
            plugins=plugins,
            relay=chats.relay,
            claimed=chats.claimed,
            connections=await _connections(ground, chats, way.router, given_up, watchdog),
        )
        await enter(_at_work(app, ground, timetable, pace, model))
        yield app


def _tools(
    ground: Infrastructure, calls: FunctionCallRouter, plugins: PluginManager
) -> AbstractAsyncContextManager[ToolSources]:
    return tool_sources(
        ground.settings.tool_servers,
        calls,
        owners=ground.settings.bot.owners,
        more=plugins.tool_sources(),
        stored=SqlStoredToolStore(ground.database),
        clock=ground.clock,
    )


async def _connections(
    ground: Infrastructure, chats: Chats, router: MessageRouter, given_up: DeliveryRetry, watchdog: Watchdog | None
) -> Connections:
    settings, clock, state = ground.settings, ground.clock, ground.state
    language, unanswered = settings.bot.language, UnansweredMessages(ground.database)

    async def resume(among: Collection[Key] | None) -> Recovery:
        if watchdog is not None and among is not None:
            watchdog.look()  # at what the worker stood still on whose messages these were
        return await Recovery.of(
            unanswered, chats.outbox, state, clock, language=language, among=among, watchdog=watchdog
        )

    return Connections(
        router=router,
        welcome=Welcome(
            chats.outbox,
            state,
            bot_name=settings.bot.name,
            language=language,
            listens_to_all=settings.router.listen == "all",
        ),
        given_up=given_up,
        state=state,
        resume=resume,
        # Of several workers on one database another may be dealing with it; what is not, is taken over.
        resumption=None if chats.relay else await resume(None),
        relay=chats.relay,
        claimed=chats.claimed,
    )


@asynccontextmanager
async def _at_work(
    app: App, ground: Infrastructure, timetable: Timetable, pace: DeliveryConfig, model: ModelStack
) -> AsyncIterator[None]:
    """Run the platforms, and whatever is done without being asked, for as long as the context lasts."""
    reminders = app.services.get(ReminderService)
    async with running_tasks() as crew:
        crew.start(reminders.run(), "reminders")
        timetable.every(pace.tick, reminders.waker.tick, name="clock")
        check_integrity_daily(timetable, crew, app.database)
        delete_expired_daily(timetable, crew, app.services, ground.clock, record_days=ground.settings.record.keep_days)
        if model.client is not None:
            crew.start(model.client.warm_up(), "warm up the model client")
        if app.relay is not None:
            crew.start(app.relay.serve(app.outbox.send), "messages of other workers")
        if app.claimed is not None:
            crew.start(app.claimed.let_go(), "what is dealt with")
        app.plugins.work(crew, Host(services=app.services, outbox=app.outbox, state=app.state, clock=ground.clock))
        await offer_commands(app.platforms, app.calls)
        await app.connections.given_up.recall()
        for platform in app.platforms:
            app.connections.connect(platform, crew)
        try:
            yield
        finally:
            await app.settled()
            await _drained(reminders)


async def _drained(reminders: ReminderService) -> None:
    """Let what is being said be said and recorded, so that a stop leaves nothing to be repeated."""
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            await reminders.drain()
    except TimeoutError:
        logger.warning("stopped with reminders still being sent; they may be said again at the next start")
