"""Create the services of a bot with their storage and limits."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from bot.app.infrastructure import Infrastructure, read_time
from bot.config.settings import SearchSettings
from bot.outbound.outbox import Outbox
from bot.outbound.reminder_notifier import BlockedChats, ReminderNotifier
from bot.platforms.base import KeepsFiles, Platform
from function_calls.functions.summary.digests import Digests
from function_calls.tools.context import Services
from services.history.service import HistoryService
from services.kernel.clock import Clock
from services.language_model.ports import LanguageModel
from services.people.account_links import PeopleService
from services.people.chat_aliases import ChatAliasService
from services.people.chat_preferences import ChatPreferenceService
from services.people.memory import MemoryLimits, MemoryService
from services.people.privacy import DeletedMessage, PrivacyService
from services.people.zones import ZoneService
from services.recurrence.calendars.data_version import data_version
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.model import ReminderLimits
from services.reminders.service import ReminderService
from services.search.model import SearchEngine
from services.search.service import SearchService
from services.search.web_pages.service import WebPageService
from services.storage.messages.pages import find_private_chat
from services.storage.people.memories import SqlMemoryStore
from services.storage.people.privacy import SqlPrivacyStore
from services.summary.service import SummaryService

if TYPE_CHECKING:
    import httpx


async def create_search_service(
    settings: SearchSettings, clock: Clock, resources: AsyncExitStack, more: Sequence[SearchEngine] = ()
) -> SearchService:
    """Return a search service with the configured engines, then `more`; `resources` closes their connections."""
    configured = settings.configured_engines
    timeout, cache_ttl = timedelta(seconds=settings.timeout_seconds), timedelta(minutes=settings.cache_minutes)
    if not configured:
        return SearchService(more, clock=clock, timeout=timeout, cache_ttl=cache_ttl)
    from services.search.engines.exchange import open_client

    client = await resources.enter_async_context(open_client())
    engines = [_engine(name, settings, client) for name in configured]
    return SearchService([*engines, *more], clock=clock, timeout=timeout, cache_ttl=cache_ttl)


def _engine(name: str, settings: SearchSettings, client: "httpx.AsyncClient") -> SearchEngine:
    if name == "perplexity":
        from services.search.engines.perplexity import PerplexityEngine

        return PerplexityEngine(
            client,
            api_key=settings.perplexity_api_key,
            model=settings.perplexity_model,
            base_url=settings.perplexity_base_url,
        )
    from services.search.engines.result_pages import BraveEngine, SearxngEngine, TavilyEngine, WikipediaEngine

    if name == "tavily":
        return TavilyEngine(client, api_key=settings.tavily_api_key)
    if name == "brave":
        return BraveEngine(client, api_key=settings.brave_api_key)
    if name == "wikipedia":
        return WikipediaEngine(client, contact=settings.wikipedia_contact)
    return SearxngEngine(client, base_url=settings.searxng_url)


async def delete_attachments(platforms: Mapping[str, Platform], deleted: Sequence[DeletedMessage]) -> None:
    """Let each platform delete the files of its messages in `deleted`."""
    for name, platform in platforms.items():
        theirs = [each for each in deleted if each.address.platform == name]
        if theirs and isinstance(platform, KeepsFiles):
            await platform.forget(theirs)


def create_services(
    infrastructure: Infrastructure,
    outbox: Outbox,
    history: HistoryService,
    model: LanguageModel | None,
    search: SearchService,
    *,
    delivery: DeliveryConfig,
    blocked: BlockedChats,
    more: Iterable[object] = (),
) -> Services:
    """Return the services of one bot, and `more`.

    `model` writes summaries; without it they are extracted from the messages. `blocked` collects the chats that refuse
    messages.
    """
    read = partial(read_time, infrastructure.time_reader)
    quick = summaries = SummaryService(history, read_time=read)
    if model is not None:
        from services.summary.model_summarizer import ModelSummarizer

        summaries = SummaryService(history, summarizer=ModelSummarizer(model), read_time=read)
    memory, web = infrastructure.settings.memory, infrastructure.settings.web
    people = PeopleService(infrastructure.scope_store, infrastructure.state_store)
    return Services(
        people,
        ChatAliasService(infrastructure.scope_store, history, infrastructure.clock, outbox.is_member),
        history,
        _reminders(infrastructure, _notifier(infrastructure, outbox, summaries, quick, blocked), delivery),
        search,
        summaries,
        MemoryService(
            SqlMemoryStore(infrastructure.database),
            limits=MemoryLimits(
                per_person=memory.max_per_person, per_chat=memory.max_per_chat, text_length=memory.max_length
            ),
        ),
        _privacy(infrastructure, outbox, summaries),
        WebPageService(timeout=timedelta(seconds=web.timeout_seconds), max_bytes=web.max_kilobytes * 1000),
        ZoneService(infrastructure.scope_store, infrastructure.clock, default=infrastructure.zone, people=people),
        ChatPreferenceService(infrastructure.state_store, infrastructure.clock),
        infrastructure.call_log,
        infrastructure.time_reader,
        *more,
    )


def _notifier(
    infrastructure: Infrastructure,
    outbox: Outbox,
    summaries: SummaryService,
    quick: SummaryService,
    blocked: BlockedChats,
) -> ReminderNotifier:
    return ReminderNotifier(
        outbox=outbox,
        clock=infrastructure.clock,
        late_after=timedelta(seconds=infrastructure.settings.reminders.late_after_seconds),
        digest=Digests(summaries, quick, infrastructure.clock, outbox.link),
        private_chat=partial(find_private_chat, infrastructure.database),
        blocked=blocked,
        on_delivered=infrastructure.counts.count_delivery,
    )


def _reminders(infrastructure: Infrastructure, notifier: ReminderNotifier, delivery: DeliveryConfig) -> ReminderService:
    settings = infrastructure.settings.reminders
    return ReminderService(
        infrastructure.reminder_store,
        infrastructure.clock,
        notifier,
        infrastructure.state_store,
        limits=ReminderLimits(per_person=settings.max_per_person, content_length=settings.max_content_length),
        delivery=delivery,
        zone_data=data_version(),
        times=infrastructure.time_reader.parse_all,
        quiet=settings.quiet(infrastructure.zone),
    )


def _privacy(infrastructure: Infrastructure, outbox: Outbox, summaries: SummaryService) -> PrivacyService:
    return PrivacyService(
        SqlPrivacyStore(infrastructure.database),
        keep_days=infrastructure.settings.history.retention_days,
        on_forgotten=summaries.forget_person,
        settle=infrastructure.call_log.drain,
        on_deleted=partial(delete_attachments, outbox.platforms),
    )
