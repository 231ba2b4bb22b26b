"""The composition root: the only place where concrete classes meet."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from zoneinfo import ZoneInfo

from loguru import logger

from bot.claimed_turns import ClaimedTurns
from bot.counting import Counts
from bot.courier import ReminderCourier
from bot.crew import Crew, hired
from bot.drafts import Drafts
from bot.elsewhere import members_of
from bot.forgetting import let_go
from bot.given_up import GivenUp
from bot.language_models import language_model, metered, model_interpreter, model_summarizer, purse_of
from bot.menus import offer_commands
from bot.model_latency import ModelLatency
from bot.outbox import Outbox
from bot.platform import HearsAnswers, Platform, Receive, Remembers, TakesUp
from bot.plugins.contributions import Host
from bot.plugins.house import PluginHouse
from bot.relay import Relay
from bot.resumption import Resumption
from bot.router import MessageRouter
from bot.search_engines import search_service
from bot.secrecy import failures_masked
from bot.settings import MemorySettings, ReminderSettings, Settings
from bot.settings_sources import secret_values
from bot.sharing import shared
from bot.telemetry import telemetry_of
from bot.time_conventions import read_time_of, time_reader
from bot.tool_servers.sources import ToolSources, tool_secrets, tool_sources
from bot.turns import TurnFactory
from bot.welcome import Welcome
from bot.wiring import Functions, Parts, built_in_registry, wired
from bot.zones import bot_zone
from function_calls.assistant import Assistant
from function_calls.context import Services
from function_calls.digests import Digests
from function_calls.interpreter import Interpreter
from function_calls.model_hooks import HookedInterpreter
from function_calls.offline.interpreter import OfflineInterpreter
from function_calls.oversight import Oversight
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from services.call_log.masking import SecretMask
from services.call_log.service import CallLog
from services.chat import BotAdded, ChatMessage, Incoming
from services.clock import Clock, SystemClock
from services.history.service import HistoryService
from services.language_model.ports import TextListener
from services.memory.model import MemoryLimits
from services.memory.service import MemoryService
from services.people.codes import LinkCodes
from services.people.service import PeopleService
from services.places.service import PlaceService
from services.privacy.service import PrivacyService
from services.reminders.calendars.data_version import data_version
from services.reminders.model import ReminderLimits
from services.reminders.service import ReminderService
from services.reminders.waker import WakerPace
from services.scheduling.timetable import ApschedulerTimetable, Timetable
from services.search.service import SearchService
from services.session import StateStore
from services.storage.call_store import SqlCallStore
from services.storage.database import Database
from services.storage.memories import SqlMemoryStore
from services.storage.message_store import SqlMessageStore
from services.storage.privacy_store import SqlPrivacyStore
from services.storage.private_chats import PrivateChats
from services.storage.reminder_store import SqlReminderStore
from services.storage.scope_store import SqlScopeStore
from services.storage.state_store import SqlStateStore
from services.storage.stored_tools import SqlStoredToolStore
from services.storage.turn_claims import Key
from services.storage.unanswered import UnansweredMessages
from services.summary.service import SummaryService
from services.time_expressions import TimeReader
from services.web_pages.service import WebPageService
from services.zones.service import ZoneService

_PURGE_EVERY = timedelta(hours=24)
_DRAIN_SECONDS = 10.0


@dataclass(kw_only=True)
class App:
    """A running bot. `finished` returns when every platform's input has ended and its messages are answered."""

    router: MessageRouter
    registry: Registry
    services: Services
    outbox: Outbox
    calls: FunctionCallRouter
    turns: TurnFactory
    assistant_with: Callable[[Interpreter], Assistant]
    interpreter: Interpreter
    tools: ToolSources
    state: StateStore
    welcome: Welcome
    database: Database
    platforms: tuple[Platform, ...]
    offline: OfflineInterpreter
    has_model: bool
    model_latency: ModelLatency
    counts: Counts
    plugins: PluginHouse
    given_up: GivenUp
    relay: Relay | None = None
    claimed: ClaimedTurns | None = None
    resume: Callable[[Collection[Key] | None], Awaitable[Resumption]]
    resumption: Resumption | None = None
    _platforms: list[asyncio.Task[object]] = field(default_factory=list)
    _messages: set[asyncio.Task[object]] = field(default_factory=set)

    async def finished(self) -> None:
        """Wait for the platforms to end, then for what is still being answered."""
        if self._platforms:
            await asyncio.wait(self._platforms)
        while self._messages:
            await asyncio.wait(self._messages)

    async def ended(self, name: str) -> None:
        """Wait until the input of one platform has ended."""
        named = [task for task in self._platforms if task.get_name() == name]
        if named:
            await asyncio.wait(named)

    async def settled(self) -> None:
        """Wait a while for the messages that are being answered, so that a stop cuts nobody off."""
        if self._messages:
            await asyncio.wait(self._messages, timeout=_DRAIN_SECONDS)

    def connect(self, platform: Platform, crew: Crew) -> None:
        """Run `platform`, each of its messages in a task of its own: one slow chat holds up no other."""

        async def receive(incoming: Incoming) -> Awaitable[object]:
            work = self._handled(incoming)
            return self._awaited(crew.start(work, f"message {incoming.address}"))

        if isinstance(platform, Remembers):
            platform.remember_in(self.state)
        if self.resumption is not None and self.resumption.owed_on(platform.name):
            resuming = self._take_up(self.resumption, platform, receive)
            self._awaited(crew.start(_kept_apart(resuming, platform.name), f"{platform.name}: what is owed"))
        running = platform.run(receive) if self.relay is None else self._while_here(self.relay, platform, receive, crew)
        self._platforms.append(crew.start(_kept_apart(running, platform.name), platform.name))

    async def _take_up(self, resumption: Resumption, platform: Platform, receive: Receive) -> None:
        """Deal with what is owed on a platform."""
        handle = platform.take_up if isinstance(platform, TakesUp) else partial(_received, receive)
        await resumption.take_up(platform.name, handle, self.router.screen)

    def _awaited(self, task: asyncio.Task[object]) -> asyncio.Task[object]:
        """Let a stop wait for `task`."""
        self._messages.add(task)
        task.add_done_callback(self._messages.discard)
        return task

    async def _handled(self, incoming: Incoming) -> None:
        """Greet a new group, or answer; what could not be said there before is tried again beside that."""
        if isinstance(incoming, BotAdded):
            await self.given_up.resume(incoming.address)
            await self.welcome.greet(incoming)
            return
        await self.router.handle(incoming)
        if self.given_up.is_waited_for(incoming.address):
            await self.given_up.resume(incoming.address)

    async def _while_here(self, relay: Relay, platform: Platform, receive: Receive, crew: Crew) -> None:
        """Run `platform` while it is this worker's, beside what another one has left undone there."""

        async def take_over(keys: Collection[Key]) -> None:
            await self._take_up(await self.resume(keys), platform, receive)

        async def run() -> None:
            if self.claimed is not None:
                following = self.claimed.follow(platform, take_over)
                crew.start(_kept_apart(following, platform.name), f"{platform.name}: what others have left")
            await platform.run(receive)

        await relay.holding.while_here(platform.name, run)


@asynccontextmanager
async def build_app(
    settings: Settings | None = None,
    *,
    platforms: Sequence[Platform] = (),
    functions: Sequence[Functions] = (),
    interpreter: Interpreter | None = None,
    clock: Clock | None = None,
    database: Database | None = None,
    timetable: Timetable | None = None,
    pace: WakerPace | None = None,
) -> AsyncIterator[App]:
    """Wire a bot and run it for as long as the context lasts.

    Args:
        settings: what the operator chose; the defaults otherwise.
        platforms: the chats to serve.
        functions: modules or objects whose `@tool_function`s are offered besides the built-in ones.
        interpreter: understands messages instead of the configured model.
        clock: tells the time; the machine's by default.
        database: where everything is kept instead of the configured one; it is entered here.
        timetable: wakes the services up instead of APScheduler.
        pace: how the reminders are delivered.

    Raises:
        StorageBusy: another process uses the same database file.
    """
    settings, clock = settings or Settings(), clock or SystemClock()
    times = time_reader(settings.time)
    pace = pace or WakerPace()
    async with AsyncExitStack() as resources:
        database = await resources.enter_async_context(database or Database(settings.database_url))
        if timetable is None:
            timetable = await resources.enter_async_context(ApschedulerTimetable())
        secrets = (*secret_values(settings), *tool_secrets(settings.tool_servers))
        mask = SecretMask(secrets)
        counts = Counts()
        log = CallLog(SqlCallStore(database), mask=mask, on_recorded=counts.record)
        resources.push_async_callback(log.drain)
        purse = purse_of(settings, clock, log)
        telemetry = await resources.enter_async_context(telemetry_of(settings.telemetry))
        client = None if interpreter else language_model(settings.model)
        latency = ModelLatency()
        timed = None if client is None else latency.model(client)
        asked = timed if timed is None or telemetry is None else telemetry.model(timed)
        model = None if asked is None else metered(asked, settings.model, purse)
        state, scopes = SqlStateStore(database, clock), SqlScopeStore(database)
        oversight = Oversight.over(state, clock, owners=settings.bot.owners)
        plugins = PluginHouse(settings.plugins, clock, oversight.switches)
        platforms = (*platforms, *plugins.platforms())
        relay, claims = await resources.enter_async_context(shared(database, platforms, clock))
        claimed = None if claims is None else ClaimedTurns(claims, clock)
        history = HistoryService(SqlMessageStore(database, claims), bot_name=settings.bot.name, on_kept=counts.keep)
        outbox = Outbox({platform.name: platform for platform in platforms}, history, clock, relay)
        drafts = Drafts(outbox, clock, is_wanted=settings.router.stream_replies)
        read_time = read_time_of(times)
        quick = SummaryService(history, read_time=read_time)
        summaries = (
            quick if model is None else SummaryService(history, summarizer=model_summarizer(model), read_time=read_time)
        )
        speechless: set[str] = set()
        courier = ReminderCourier(
            outbox,
            clock,
            late_after=timedelta(seconds=settings.reminders.late_after_seconds),
            digest=Digests(summaries, quick, clock, outbox.link),
            private_chat=PrivateChats(database).of,
            speechless=speechless,
            on_delivered=counts.deliver,
        )
        reminders = _reminders(
            settings.reminders, clock, courier, database, state, pace, bot_zone(settings.bot.timezone), times
        )
        privacy = PrivacyService(
            SqlPrivacyStore(database),
            keep_days=settings.history.retention_days,
            on_forgotten=summaries.forget_person,
            settle=log.drain,
            on_gone=partial(let_go, outbox.platforms),
        )
        people = PeopleService(scopes, LinkCodes(state))
        services = Services(
            people,
            PlaceService(scopes, history, clock, members_of(outbox)),
            history,
            reminders,
            await search_service(settings.search, clock, resources, plugins.engines()),
            summaries,
            _memories(settings.memory, database),
            privacy,
            WebPageService(
                timeout=timedelta(seconds=settings.web.timeout_seconds), max_bytes=settings.web.max_kilobytes * 1000
            ),
            ZoneService(scopes, clock, default=bot_zone(settings.bot.timezone), people=people),
            log,
            times,
        )
        offline = OfflineInterpreter(read_times=times.parse_all, searches_web=services.get(SearchService).is_configured)
        thinks = interpreter or (None if model is None else model_interpreter(model, settings.model, times))
        chosen = offline if thinks is None else HookedInterpreter(thinks, plugins.model_hooks)
        parts = Parts(
            settings=settings,
            clock=clock,
            services=services,
            outbox=outbox,
            drafts=drafts,
            registry=built_in_registry(functions),
            states=scopes,
            oversight=oversight,
            interpreter=chosen,
            offline=offline,
            purse=purse,
            plugins=plugins,
            telemetry=telemetry,
            claimed=claimed,
            listener_for=partial(_listener_of, outbox.platforms, drafts),
        )
        way = wired(parts)
        way.calls.hooks.after.append(failures_masked(mask))
        sources = await resources.enter_async_context(
            tool_sources(
                settings.tool_servers,
                way.calls,
                owners=settings.bot.owners,
                more=plugins.tool_sources(),
                stored=SqlStoredToolStore(database),
                clock=clock,
            )
        )
        resume = partial(_resumption, database, outbox, state, clock, settings.bot.language)
        app = App(
            router=way.router,
            registry=parts.registry,
            services=services,
            outbox=outbox,
            calls=way.calls,
            turns=way.turns,
            assistant_with=way.assistant_with,
            interpreter=chosen,
            tools=sources,
            state=state,
            welcome=Welcome(
                outbox,
                state,
                bot_name=settings.bot.name,
                language=settings.bot.language,
                listens_to_all=settings.router.listen == "all",
            ),
            database=database,
            platforms=tuple(platforms),
            offline=offline,
            has_model=chosen is not offline,
            model_latency=latency,
            counts=counts,
            plugins=plugins,
            given_up=GivenUp(reminders, clock, speechless),
            relay=relay,
            claimed=claimed,
            resume=resume,
            # Of several workers on one database another may be dealing with it; what is not, is taken over.
            resumption=None if relay else await resume(None),
        )
        crew = await resources.enter_async_context(hired())
        crew.start(reminders.run(), "reminders")
        timetable.every(pace.tick, reminders.waker.tick, name="clock")
        await app.given_up.recall()
        timetable.every(_PURGE_EVERY, lambda: _purge(crew, reminders), name="purge")
        timetable.every(_PURGE_EVERY, lambda: _let_go(crew, privacy, clock), name="history")
        timetable.every(_PURGE_EVERY, lambda: _forget(crew, log, clock, settings.record.keep_days), name="records")
        if client is not None:
            resources.push_async_callback(client.close)
            crew.start(client.warm_up(), "warm up the model client")
        if relay is not None:
            crew.start(relay.serve(outbox.send), "messages of other workers")
        if claimed is not None:
            crew.start(claimed.let_go(), "what is dealt with")
        plugins.work(crew, Host(services=services, outbox=outbox, state=state, clock=clock))
        await offer_commands(platforms, way.calls)
        for platform in platforms:
            app.connect(platform, crew)
        try:
            yield app
        finally:
            await app.settled()
            await _drained(reminders)


def _reminders(
    settings: ReminderSettings,
    clock: Clock,
    courier: ReminderCourier,
    database: Database,
    state: StateStore,
    pace: WakerPace,
    zone: ZoneInfo,
    times: TimeReader,
) -> ReminderService:
    return ReminderService(
        SqlReminderStore(database, quiet=settings.quiet(zone)),
        clock,
        courier,
        state,
        limits=ReminderLimits(per_person=settings.max_per_person, content_length=settings.max_content_length),
        pace=pace,
        zone_data=data_version(),
        times=times,
    )


async def _drained(reminders: ReminderService) -> None:
    """Let what is being said be said and recorded, so that a stop leaves nothing to be repeated."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            await reminders.drain()
    except TimeoutError:
        logger.warning("stopped with reminders still being sent; they may be said again at the next start")


def _memories(settings: MemorySettings, database: Database) -> MemoryService:
    limits = MemoryLimits(
        per_person=settings.max_per_person, per_chat=settings.max_per_chat, text_length=settings.max_length
    )
    return MemoryService(SqlMemoryStore(database), limits=limits)


def _listener_of(platforms: Mapping[str, Platform], drafts: Drafts, message: ChatMessage) -> TextListener | None:
    platform = platforms.get(message.address.platform)
    if platform is not None and isinstance(platform, HearsAnswers):
        return platform.listener(message)
    return drafts.listener(message)


async def _resumption(
    database: Database,
    outbox: Outbox,
    state: StateStore,
    clock: Clock,
    language: str,
    among: Collection[Key] | None,
) -> Resumption:
    unanswered = UnansweredMessages(database)
    return await Resumption.of(unanswered, outbox, state, clock, language=language, among=among)


async def _received(receive: Receive, message: ChatMessage) -> None:
    await (await receive(message))


async def _kept_apart(running: Coroutine[object, object, None], name: str) -> None:
    """A platform that fails is logged; the others and the reminders go on."""
    try:
        await running
    except Exception as error:  # noqa: BLE001 - whatever a platform raises, it must not end the bot
        logger.opt(exception=error).error("platform {} ended with an error", name)


def _purge(crew: Crew, reminders: ReminderService) -> None:
    crew.start(reminders.purge(), "purge")


def _forget(crew: Crew, log: CallLog, clock: Clock, keep_days: int) -> None:
    if keep_days:
        crew.start(log.purge(clock.now() - timedelta(days=keep_days)), "purge the records")


def _let_go(crew: Crew, privacy: PrivacyService, clock: Clock) -> None:
    crew.start(privacy.purge(clock.now()), "purge the history")
