"""Build the message pipeline: middlewares, assistant, tools and outbox."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import ModuleType

from msgspec import Struct

from bot.app.tracing import Telemetry
from bot.config.settings import Settings
from bot.inbound.account_links import AccountLinkCommands
from bot.inbound.corrections import Corrections, EditedRequests
from bot.inbound.cross_chat import CrossChatCommands, Understanding
from bot.inbound.intake import Intake, RetryHandling, StorageRetry
from bot.inbound.middleware import Access, Addressed, Commands, InOrder, Middleware, Once, Pace
from bot.inbound.reactions import Reactions
from bot.inbound.recovery import UnreadableMessages
from bot.inbound.router import MessageRouter
from bot.inbound.turn_claims import TurnCoordinator
from bot.inbound.turns import ListenerFor, TurnFactory, nobody_hears
from bot.observability.watchdog import Watchdog
from bot.outbound.drafts import Drafts
from bot.outbound.outbox import Outbox, connected
from bot.platforms.kit.commands import is_managing_command
from bot.plugins.manager import PluginCommands, PluginManager
from function_calls import handlers
from function_calls.conversation.assistant import Assistant, Command, LoopLimits
from function_calls.conversation.records import handlers as handlers_explain
from function_calls.conversation.records.recorder import TurnRecorder
from function_calls.conversation.slash_commands import typed_name
from function_calls.conversation.switch_command import ToolCommands
from function_calls.functions import web_fetch
from function_calls.functions.history import handlers as handlers_history
from function_calls.functions.memory import handlers as handlers_memory
from function_calls.functions.preferences import handlers_quiet, handlers_zones
from function_calls.functions.privacy import handlers as handlers_privacy
from function_calls.functions.reminders import handlers as handlers_reminders
from function_calls.functions.reminders import handlers_states as handlers_reminder_states
from function_calls.functions.summary import handlers as handlers_digest
from function_calls.functions.undo import handler
from function_calls.functions.undo.undo import UndoService
from function_calls.offline.direct import may_be_direct
from function_calls.offline.interpreter import OfflineInterpreter
from function_calls.offline.pack import load_gate, load_pack
from function_calls.registry import Registry, check_inverses
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpreter, reply_scope
from function_calls.tools.confirmation.yes_no import answer_of
from function_calls.tools.context import CallContext, Services
from function_calls.tools.policy import CallPolicy
from function_calls.tools.session_state import SessionStateStore
from services.call_log.service import CallLog
from services.call_log.usage import BudgetPolicy
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.kernel.clock import Clock
from services.kernel.text import language_of
from services.people.account_links import PeopleService
from services.people.chat_aliases import ChatAliasService
from services.people.memory import MemoryService
from services.people.privacy import PrivacyService
from services.people.zones import ZoneService
from services.reminders.service import ReminderService
from services.search.service import SearchService
from services.search.web_pages.service import WebPageService
from services.summary.service import SummaryService

Functions = ModuleType | object

# "Forget me" is asked of the privacy functions before the memory takes it for something to forget.
_BUILT_IN = (
    handlers,
    handlers_digest,
    handlers_reminders,
    handlers_reminder_states,
    handlers_quiet,
    handlers_zones,
    handler,
    handlers_explain,
    handlers_history,
    handlers_privacy,
    handlers_memory,
    web_fetch,
)


class Dependencies(Struct, frozen=True, kw_only=True):
    """Dependencies of the pipeline. `interpreter` may be the offline one, when there is no model."""

    settings: Settings
    clock: Clock
    services: Services
    outbox: Outbox
    drafts: Drafts
    registry: Registry
    states: SessionStateStore
    oversight: CallPolicy
    interpreter: Interpreter
    offline: OfflineInterpreter
    budget: BudgetPolicy
    plugins: PluginManager
    telemetry: Telemetry | None = None
    turn_claims: TurnCoordinator | None = None
    watchdog: Watchdog | None = None
    listener_for: ListenerFor = nobody_hears


class Pipeline(Struct, frozen=True, kw_only=True):
    """The message pipeline: the router of messages, the router of calls, and the factory of turns.

    `assistant_with` makes an assistant with another interpreter in front of the same tools and records. `access` and
    `pace` are for endpoints that answer by themselves.
    """

    router: MessageRouter
    calls: FunctionCallRouter
    turns: TurnFactory
    assistant_with: Callable[[Interpreter], Assistant]
    access: Access
    pace: Pace


def built_in_registry(functions: Sequence[Functions] = (), *, injectable: Iterable[type[object]] = ()) -> Registry:
    """Register the built-in functions and those of the modules or objects in `functions`. `injectable` adds classes.

    Raises:
        SignatureInvalid: a function cannot be offered to a model as it is declared.
        ToolNameTaken: two functions have one name.
    """
    registry = Registry(
        injectable=(
            CallContext,
            Services,
            ReminderService,
            SearchService,
            SummaryService,
            HistoryService,
            MemoryService,
            PeopleService,
            PrivacyService,
            WebPageService,
            ZoneService,
            CallLog,
            UndoService,
            *injectable,
        )
    )
    for source in (*_BUILT_IN, *functions):
        registry.collect(source)
    check_inverses(registry, registry)
    return registry


def build_pipeline(parts: Dependencies) -> Pipeline:
    """Return the pipeline of incoming messages with all its parts."""
    recorder = TurnRecorder(parts.services.get(CallLog), parts.budget)
    calls = FunctionCallRouter(parts.registry, on_dispatched=recorder.called, oversight=parts.oversight)
    parts.services.add(UndoService(calls, parts.oversight.receipts, parts.services.get(HistoryService)))
    if parts.turn_claims is not None:
        calls.hooks.before.append(parts.turn_claims.refuse)
    if parts.telemetry is not None:
        parts.telemetry.listen(calls.events)
    parts.plugins.install(calls, parts.services)
    turns = _turns(parts, calls)
    commands: list[Command] = [
        ToolCommands(calls, parts.oversight),
        PluginCommands(parts.plugins, parts.oversight),
        AccountLinkCommands(parts.services.get(PeopleService), parts.outbox),
        CrossChatCommands(
            parts.services.get(ChatAliasService),
            parts.services.get(PeopleService),
            parts.outbox,
            turns,
            understand=Understanding(offline=parts.offline, interpreter=parts.interpreter),
            oversight=parts.oversight,
        ),
        *parts.plugins.chat_commands(),
    ]

    def assistant_with(interpreter: Interpreter) -> Assistant:
        return Assistant(
            calls,
            interpreter,
            offline=parts.offline,
            context_for=turns.context,
            limits=LoopLimits(rounds=parts.settings.model.max_rounds),
            states=parts.states,
            recorder=recorder,
            commands=commands,
        )

    assistant = assistant_with(parts.interpreter)
    corrections = Corrections(
        parts.services.get(HistoryService), parts.services.get(CallLog), parts.services.get(SummaryService)
    )
    access, in_order, retry = Access(parts.settings.router.allowed_chats), InOrder(), StorageRetry(parts.clock)
    limits = parts.settings.router
    pace = Pace(limits.messages_per_minute, parts.clock, chat_messages_per_minute=limits.chat_messages_per_minute)
    router = MessageRouter(
        assistant,
        parts.outbox,
        turns.turn,
        _middlewares(parts, access, in_order, pace, retry),
        corrections=corrections,
        drafts=parts.drafts,
        reactions=Reactions(turns, parts.outbox, recorder, [access, in_order, pace]),
        edited=EditedRequests(
            turns,
            parts.outbox,
            assistant.answer_edited,
            parts.services.get(ReminderService),
            [access, in_order, pace],
        ),
        turn_claims=parts.turn_claims,
        intake=Intake(parts.services.get(HistoryService), access, retry),
        retry=retry,
        unreadable=_unreadable(parts, access),
    )
    return Pipeline(router=router, calls=calls, turns=turns, assistant_with=assistant_with, access=access, pace=pace)


def _unreadable(parts: Dependencies, access: Access) -> UnreadableMessages | None:
    if parts.watchdog is None:
        return None
    return UnreadableMessages(
        watchdog=parts.watchdog,
        access=access,
        outbox=parts.outbox,
        history=parts.services.get(HistoryService),
        zones=parts.services.get(ZoneService),
        language=parts.settings.bot.language,
    )


def _turns(parts: Dependencies, calls: FunctionCallRouter) -> TurnFactory:
    settings = parts.settings
    return TurnFactory(
        bot_name=settings.bot.name,
        language=settings.bot.language,
        zones=parts.services.get(ZoneService),
        context_messages=0 if parts.interpreter is parts.offline else settings.router.context_messages,
        clock=parts.clock,
        history=parts.services.get(HistoryService),
        calls=calls,
        services=parts.services,
        connected=partial(connected, parts.outbox, parts.clock),
        listener_for=parts.listener_for,
    )


def _middlewares(
    parts: Dependencies, access: Access, in_order: InOrder, pace: Pace, retry: StorageRetry
) -> list[Middleware]:
    settings = parts.settings.router
    return [
        *([parts.telemetry] if parts.telemetry is not None else []),
        access,
        in_order,
        RetryHandling(retry),
        Once(parts.services.get(HistoryService)),
        Commands(parts.settings.bot.name, parts.settings.bot.language),
        Addressed(settings.listen, _looks_like_a_request, partial(_is_for_the_bot, parts)),
        pace,
        *parts.plugins.middlewares(),
    ]


def _looks_like_a_request(text: str) -> bool:
    """Return the cheap gate of `router.listen = "smart"`: the words that every request of some kind has."""
    language = language_of(text, "en")
    return load_gate(language).search(load_pack(language).fold(text)) is not None or may_be_direct(text, language)


async def _is_for_the_bot(parts: Dependencies, message: ChatMessage) -> bool:
    """Tell if a message that names nobody can only be meant for the bot: a command, or the answer it waits for."""
    if is_managing_command(message.text):
        return True
    typed = typed_name(message.text)
    if typed is not None and parts.registry.get(typed) is not None:
        return True
    answer = answer_of(message.text, parts.settings.bot.name)
    if answer is None:
        return False
    scope = await reply_scope(message, parts.services.get(HistoryService))
    return await parts.oversight.confirmations.waits_for(message, answer, scope)
