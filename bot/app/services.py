"""Create the services of a bot with their storage and limits."""

from datetime import timedelta
from functools import partial

from bot.app.chats import Chats
from bot.app.delete_attachments import let_go
from bot.app.infrastructure import Infrastructure
from bot.app.language_models import model_summarizer
from bot.app.time_conventions import read_time_of
from bot.inbound.cross_chat import members_of
from bot.outbound.reminder_notifier import ReminderNotifier
from function_calls.functions.summary.digests import Digests
from function_calls.tools.context import Services
from services.language_model.ports import LanguageModel
from services.people.account_links import PeopleService
from services.people.chat_aliases import ChatAliasService
from services.people.link_codes import LinkCodes
from services.people.memory.model import MemoryLimits
from services.people.memory.service import MemoryService
from services.people.privacy.service import PrivacyService
from services.people.zones import ZoneService
from services.recurrence.calendars.data_version import data_version
from services.reminders.delivery.worker import DeliveryConfig
from services.reminders.model import ReminderLimits
from services.reminders.service import ReminderService
from services.search.service import SearchService
from services.search.web_pages.service import WebPageService
from services.storage.people.memories import SqlMemoryStore
from services.storage.people.privacy import SqlPrivacyStore
from services.storage.people.scopes import PrivateChats
from services.storage.reminders.store import SqlReminderStore
from services.summary.service import SummaryService


def create_services(
    ground: Infrastructure,
    chats: Chats,
    model: LanguageModel | None,
    search: SearchService,
    *,
    pace: DeliveryConfig,
    speechless: set[str],
) -> Services:
    """Return the services of one bot.

    Args:
        ground: where they keep what they know.
        chats: where reminders are said.
        model: writes summaries; without one they are put together from what was said.
        search: looks things up, made beforehand since it holds connections.
        pace: how the reminders are delivered.
        speechless: takes the keys of the chats in which something could not be said.
    """
    read_time = read_time_of(ground.times)
    quick = summaries = SummaryService(chats.history, read_time=read_time)
    if model is not None:
        summaries = SummaryService(chats.history, summarizer=model_summarizer(model), read_time=read_time)
    people = PeopleService(ground.scopes, LinkCodes(ground.state))
    return Services(
        people,
        ChatAliasService(ground.scopes, chats.history, ground.clock, members_of(chats.outbox)),
        chats.history,
        _reminders(ground, _courier(ground, chats, summaries, quick, speechless), pace),
        search,
        summaries,
        _memories(ground),
        _privacy(ground, chats, summaries),
        _web_pages(ground),
        ZoneService(ground.scopes, ground.clock, default=ground.zone, people=people),
        ground.log,
        ground.times,
    )


def _courier(
    ground: Infrastructure, chats: Chats, summaries: SummaryService, quick: SummaryService, speechless: set[str]
) -> ReminderNotifier:
    return ReminderNotifier(
        chats.outbox,
        ground.clock,
        late_after=timedelta(seconds=ground.settings.reminders.late_after_seconds),
        digest=Digests(summaries, quick, ground.clock, chats.outbox.link),
        private_chat=PrivateChats(ground.database).of,
        speechless=speechless,
        on_delivered=ground.counts.deliver,
    )


def _reminders(ground: Infrastructure, courier: ReminderNotifier, pace: DeliveryConfig) -> ReminderService:
    settings = ground.settings.reminders
    quiet = settings.quiet(ground.zone)
    return ReminderService(
        SqlReminderStore(ground.database, quiet=quiet),
        ground.clock,
        courier,
        ground.state,
        limits=ReminderLimits(per_person=settings.max_per_person, content_length=settings.max_content_length),
        pace=pace,
        zone_data=data_version(),
        times=ground.times,
        quiet=quiet,
    )


def _memories(ground: Infrastructure) -> MemoryService:
    settings = ground.settings.memory
    limits = MemoryLimits(
        per_person=settings.max_per_person, per_chat=settings.max_per_chat, text_length=settings.max_length
    )
    return MemoryService(SqlMemoryStore(ground.database), limits=limits)


def _privacy(ground: Infrastructure, chats: Chats, summaries: SummaryService) -> PrivacyService:
    return PrivacyService(
        SqlPrivacyStore(ground.database),
        keep_days=ground.settings.history.retention_days,
        on_forgotten=summaries.forget_person,
        settle=ground.log.drain,
        on_gone=partial(let_go, chats.outbox.platforms),
    )


def _web_pages(ground: Infrastructure) -> WebPageService:
    settings = ground.settings.web
    return WebPageService(timeout=timedelta(seconds=settings.timeout_seconds), max_bytes=settings.max_kilobytes * 1000)
