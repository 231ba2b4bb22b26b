"""Composition root: build a bot from its settings and run it."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Final

from loguru import logger
from msgspec import Struct

from bot.app.cluster import SingleWorker, join_cluster
from bot.app.connections import DRAIN_SECONDS, PlatformConnections, create_connections
from bot.app.infrastructure import Infrastructure, open_infrastructure
from bot.app.interpreters import Interpreters, create_interpreters
from bot.app.language_models import ModelStack, language_model, model_stack
from bot.app.pipeline import Pipeline, create_calls, create_turns
from bot.app.registry import Functions, built_in_registry
from bot.app.services import create_search_service, create_services
from bot.app.settings_checks import check_configured_names
from bot.config.settings import Settings
from bot.inbound.turns import TurnFactory
from bot.observability.metrics import ModelLatency
from bot.observability.watchdog import Watchdog
from bot.outbound.outbox import Outbox
from bot.outbound.reminder_notifier import BlockedChats, DeliveryRetry
from bot.platforms.base import Platform
from bot.platforms.kit.commands import offer_commands
from bot.plugins.contributions import Host
from bot.plugins.manager import PluginManager
from bot.tools.servers.sources import ToolSources, open_tool_sources
from bot.tools.skills import skill_sources
from function_calls.conversation.records.recorder import TurnRecorder
from function_calls.functions.undo.undo import UndoService
from function_calls.language.messages import FALLBACK
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpreter
from function_calls.tools.context import Services
from function_calls.tools.policy import CallPolicy
from services.call_log.service import CallLog
from services.history.service import HistoryService
from services.kernel.background_tasks import BackgroundTasks, log_failure, running_tasks
from services.kernel.clock import Clock, SystemClock
from services.people.privacy import PrivacyService
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.service import ReminderService
from services.scheduling.timetable import ApschedulerTimetable, Timetable
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
from services.storage.tools import SqlStoredToolStore

_DAY: Final = timedelta(hours=24)


class App(Struct, kw_only=True):
    """A running bot. Tasks in `background` are cancelled when it stops."""

    calls: FunctionCallRouter
    services: Services
    outbox: Outbox
    turns: TurnFactory
    interpreters: Interpreters
    pipeline: Pipeline
    model_latency: ModelLatency
    tools: ToolSources
    infrastructure: Infrastructure
    platforms: tuple[Platform, ...]
    plugins: PluginManager
    cluster: SingleWorker
    connections: PlatformConnections
    background: BackgroundTasks

    async def finished(self) -> None:
        """Wait for the platforms to end, then for the messages in progress; programs that embed the bot call it."""
        await self.connections.wait_finished()


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
    delivery: DeliveryConfig | None = None,
    watchdog: Watchdog | None = None,
) -> AsyncIterator[App]:
    """Build a bot and run it until the context ends.

    Args:
        settings: the defaults if None.
        platforms: chat platforms to serve.
        functions: modules or objects with further `@tool_function`s.
        services: objects to inject into these functions, by the class of a parameter.
        interpreter: replaces the configured model.
        clock: the clock of the machine by default.
        database: replaces the configured one; opened here.
        timetable: replaces APScheduler.
        delivery: intervals of the delivery of reminders.
        watchdog: records the message in progress and knows those that blocked; opened by the caller.

    Raises:
        ConfigError: the workspace folder contains files of the bot.
        StorageBusy: another process uses the same database file.
    """
    settings, clock, delivery = settings or Settings(), clock or SystemClock(), delivery or DeliveryConfig()
    async with AsyncExitStack() as resources:
        enter = resources.enter_async_context
        infrastructure = await enter(open_infrastructure(settings, clock, database or Database(settings.database_url)))
        if timetable is None:
            timetable = await enter(ApschedulerTimetable())
        models = await enter(model_stack(infrastructure, None if interpreter else language_model(settings.model)))
        policy = CallPolicy.create(infrastructure.state_store, clock, owners=settings.bot.owners)
        plugins = await enter(aclosing(PluginManager(settings.plugins, clock, policy.switches, models.model)))
        plugins.exclude_clashes(platform.name for platform in platforms)
        served = (*platforms, *plugins.platforms())
        cluster = await enter(join_cluster(infrastructure.database, served, clock))
        _log_unknown_names(settings, served)
        store = SqlMessageStore(infrastructure.database, cluster.message_claims)
        history = HistoryService(store, bot_name=settings.bot.name, on_kept=infrastructure.counts.count_message)
        outbox = Outbox({platform.name: platform for platform in served}, history, clock, cluster.remote_outbox)
        search = await create_search_service(settings.search, clock, resources, plugins.engines())
        blocked = BlockedChats()
        all_services = create_services(
            infrastructure, outbox, history, models.model, search, delivery=delivery, blocked=blocked, more=services
        )
        interpreters = create_interpreters(infrastructure, all_services, interpreter, models.model, plugins.model_hooks)
        registry = built_in_registry(
            [*_workspace_functions(settings, models), *functions], injectable=map(type, services)
        )
        recorder = TurnRecorder(infrastructure.call_log, models.budget)
        calls = create_calls(infrastructure, registry, policy, recorder, models, cluster)
        all_services.add(UndoService(calls, policy.change_log, history))
        plugins.install(calls, all_services)
        turns = create_turns(infrastructure, calls, all_services, outbox)
        pipeline = Pipeline(
            infrastructure,
            turns=turns,
            policy=policy,
            interpreters=interpreters,
            recorder=recorder,
            models=models,
            plugins=plugins,
            cluster=cluster,
            watchdog=watchdog,
        )
        tools = await enter(_open_tools(infrastructure, calls, plugins))
        delivery_retry = DeliveryRetry(worker=all_services.get(ReminderService).worker, blocked=blocked, clock=clock)
        connections = await create_connections(
            infrastructure, outbox, pipeline.router, delivery_retry, cluster, watchdog
        )
        app = App(
            calls=calls,
            services=all_services,
            outbox=outbox,
            turns=turns,
            interpreters=interpreters,
            pipeline=pipeline,
            model_latency=models.latency,
            tools=tools,
            infrastructure=infrastructure,
            platforms=served,
            plugins=plugins,
            cluster=cluster,
            connections=connections,
            background=await enter(running_tasks()),
        )
        await enter(_run_background(app, timetable, delivery, models))
        yield app


def _log_unknown_names(settings: Settings, platforms: Iterable[Platform]) -> None:
    """Log a warning for each unknown name in the settings."""
    for finding in check_configured_names(settings, (platform.name for platform in platforms)):
        logger.warning("settings: {}: {}", finding.about_in(FALLBACK), finding.state_in(FALLBACK))


def _workspace_functions(settings: Settings, models: ModelStack) -> list[object]:
    """Return the functions of the workspace; their modules are imported only if a folder is configured."""
    if not settings.workspace.folder:
        return []
    from bot.tools.workspace.functions import workspace_functions

    return workspace_functions(settings, models.model)


def _open_tools(
    infrastructure: Infrastructure, calls: FunctionCallRouter, plugins: PluginManager
) -> AbstractAsyncContextManager[ToolSources]:
    """Offer the tools of servers, plugins and skills through `calls` while the context is open."""
    settings = infrastructure.settings
    return open_tool_sources(
        settings.tool_servers,
        calls,
        owners=settings.bot.owners,
        extra=[*plugins.tool_sources(), *skill_sources(settings.skills)],
        store=SqlStoredToolStore(infrastructure.database),
        clock=infrastructure.clock,
        token_folder=settings.mcp_token_folder,
    )


@asynccontextmanager
async def _run_background(
    app: App, timetable: Timetable, delivery: DeliveryConfig, models: ModelStack
) -> AsyncIterator[None]:
    """Run the platforms, the background tasks and the periodic jobs until the context ends."""
    infrastructure, reminders = app.infrastructure, app.services.get(ReminderService)
    record_days = infrastructure.settings.record.keep_days
    # The jobs are removed before the task group ends: no task can be started in it afterwards.
    async with running_tasks() as tasks, AsyncExitStack() as jobs:
        tasks.start(reminders.worker.run(), "reminders")
        check_integrity = partial(_start_integrity_check, tasks, infrastructure.database)
        delete_expired = partial(_start_deletions, tasks, app.services, infrastructure.clock, record_days)
        check_integrity()
        delete_expired()
        jobs.callback(timetable.every(delivery.tick, reminders.worker.tick, name="clock"))
        jobs.callback(timetable.every(_DAY, check_integrity, name="damage"))
        jobs.callback(timetable.every(_DAY, delete_expired, name="purge"))
        if models.endpoint is not None:
            tasks.start(models.endpoint.warm_up(), "warm up the model client")
        app.cluster.start(tasks, app.outbox.send)
        state, clock = infrastructure.state_store, infrastructure.clock
        app.plugins.start_jobs(tasks, Host(services=app.services, outbox=app.outbox, state=state, clock=clock))
        await offer_commands(app.platforms, app.calls)
        await app.connections.delivery_retry.load_blocked()
        for platform in app.platforms:
            app.connections.connect(platform, tasks)
        try:
            yield
        finally:
            await app.connections.drain()
            await _drain_reminders(reminders)


async def _drain_reminders(reminders: ReminderService) -> None:
    """Wait until reminders in progress are recorded, so that the next start does not repeat them."""
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            await reminders.worker.drain()
    except TimeoutError:
        logger.warning("stopped while reminders were being sent; they may be sent again at the next start")


def _start_integrity_check(tasks: BackgroundTasks, database: Database) -> None:
    """Start a task that checks the database file (PRAGMA quick_check) and logs new damage."""

    async def check() -> None:
        known = database.damage
        found = await database.find_damage()
        if found is not None and found != known:
            logger.critical("database {} is damaged ({}); stop the bot and restore a backup", database.name, found)

    name = "check of the integrity of the database"
    tasks.start(log_failure(check(), name), name)


def _start_deletions(tasks: BackgroundTasks, services: Services, clock: Clock, record_days: int) -> None:
    """Start tasks that delete finished reminders, old messages and, after `record_days` (0: never), call records."""
    reminders, messages = services.get(ReminderService).worker.purge(), services.get(PrivacyService).purge(clock.now())
    for name, deletion in (("purge of the reminders", reminders), ("purge of the history", messages)):
        tasks.start(log_failure(deletion, name), name)
    if record_days:
        oldest = clock.now() - timedelta(days=record_days)
        tasks.start(services.get(CallLog).purge(oldest), "purge the records")
