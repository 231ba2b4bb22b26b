"""Build the message pipeline: middlewares, assistant, tools and outbox."""

from datetime import UTC, datetime

from msgspec.structs import replace

from bot.app.cluster import SingleWorker
from bot.app.infrastructure import Infrastructure
from bot.app.interpreters import Interpreters
from bot.app.language_models import ModelStack
from bot.inbound.account_links import AccountLinkCommands
from bot.inbound.corrections import Corrections, EditedRequests
from bot.inbound.cross_chat import CrossChatCommands
from bot.inbound.intake import Intake, StorageRetry
from bot.inbound.middleware import Access, ChatOrder, Commands, Deduplication, ListenFilter, Middleware, RateLimit
from bot.inbound.reactions import Reactions
from bot.inbound.recovery import UnreadableMessages
from bot.inbound.router import MessageRouter
from bot.inbound.turns import TurnFactory
from bot.observability.watchdog import Watchdog
from bot.outbound.drafts import Drafts
from bot.outbound.outbox import Outbox
from bot.platforms.kit.commands import answer_unknown_command, is_managing_command
from bot.plugins.manager import PluginCommands, PluginManager
from function_calls.conversation.assistant import Assistant, Command, LoopLimits, TurnCheck
from function_calls.conversation.form_answers import is_answer
from function_calls.conversation.records.recorder import TurnRecorder
from function_calls.conversation.slash_commands import parse_typed
from function_calls.conversation.switch_command import ToolCommands
from function_calls.functions.undo.undo import UndoService
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpreter, ToolCall, ToolResult
from function_calls.tools.confirmation.reply_scope import find_reply_scope
from function_calls.tools.confirmation.yes_no import parse_short_answer
from function_calls.tools.context import CallContext, Services
from function_calls.tools.dispatch.hooks import AfterTool, ToolHooks
from function_calls.tools.policy import CallPolicy
from function_calls.understanding.interpreter import may_ask
from services.call_log.masking import SecretMask
from services.call_log.service import CallLog
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.kernel.text import language_of
from services.people.account_links import PeopleService
from services.people.chat_aliases import ChatAliasService
from services.people.zones import ZoneService
from services.reminders.service import ReminderService
from services.summary.service import SummaryService


class Pipeline:
    """Middlewares, message router, assistants and call router.

    Endpoints that do not use the message router apply `access` and `rate_limit` themselves.
    """

    def __init__(
        self,
        infrastructure: Infrastructure,
        *,
        services: Services,
        outbox: Outbox,
        drafts: Drafts,
        registry: Registry,
        policy: CallPolicy,
        interpreters: Interpreters,
        model: ModelStack,
        plugins: PluginManager,
        cluster: SingleWorker,
        watchdog: Watchdog | None,
    ) -> None:
        settings, clock = infrastructure.settings, infrastructure.clock
        self._settings = settings
        self._policy = policy
        self._fallback = interpreters.fallback
        self._scopes = infrastructure.scopes
        self._history = services.get(HistoryService)
        recorder = TurnRecorder(services.get(CallLog), model.budget)
        self._record_turn = recorder.turn if model.telemetry is None else model.telemetry.trace_turns(recorder.turn)
        self.registry = registry
        self.calls = FunctionCallRouter(
            registry,
            default_timeout=settings.router.tool_timeout_seconds or None,
            hooks=ToolHooks(before=[*cluster.before_tool], after=[mask_failures(infrastructure.mask)]),
            on_dispatched=recorder.record_call,
            policy=policy,
        )
        if model.telemetry is not None:
            model.telemetry.listen(self.calls.events)
        services.add(UndoService(self.calls, policy.receipts, self._history))
        plugins.install(self.calls, services)
        self.turns = TurnFactory(
            bot_name=settings.bot.name,
            language=settings.bot.language,
            zones=services.get(ZoneService),
            context_messages=settings.router.context_messages,
            clock=clock,
            history=self._history,
            calls=self.calls,
            services=services,
            outbox=outbox,
            drafts=drafts,
            call_styles=settings.model.chat_function_calling,
        )
        people = services.get(PeopleService)
        self._commands: list[Command] = [
            ToolCommands(self.calls, policy),
            PluginCommands(plugins, policy),
            AccountLinkCommands(people, outbox),
            CrossChatCommands(
                aliases=services.get(ChatAliasService),
                people=people,
                outbox=outbox,
                turns=self.turns,
                offline=interpreters.fallback,
                interpreter=interpreters.primary,
                policy=policy,
            ),
            *plugins.chat_commands(),
            answer_unknown_command,
        ]
        limits = settings.router
        self.access, retry, in_order = Access(limits.allowed_chats), StorageRetry(clock), ChatOrder()
        self.rate_limit = RateLimit(
            limits.messages_per_minute, clock, chat_messages_per_minute=limits.chat_messages_per_minute
        )
        checks: list[Middleware] = [self.access, in_order, self.rate_limit]
        unreadable: list[Middleware] = []
        if watchdog is not None:
            unreadable = [
                UnreadableMessages(
                    watchdog=watchdog,
                    access=self.access,
                    outbox=outbox,
                    history=self._history,
                    zones=services.get(ZoneService),
                    language=settings.bot.language,
                )
            ]
        assistant = self.assistant_with(interpreters.primary, interpreters.reads_offline_first)
        self.router = MessageRouter(
            assistant=assistant,
            outbox=outbox,
            turn_for=self.turns.turn,
            middlewares=[
                *unreadable,
                *([model.telemetry] if model.telemetry is not None else []),
                self.access,
                in_order,
                retry,
                Deduplication(self._history),
                Commands(settings.bot.name, settings.bot.language),
                ListenFilter(limits.listen, _looks_like_a_request, self._is_for_the_bot),
                self.rate_limit,
                *plugins.middlewares(),
            ],
            corrections=Corrections(self._history, services.get(CallLog), services.get(SummaryService)),
            drafts=drafts,
            reactions=Reactions(turns=self.turns, outbox=outbox, record_turn=self._record_turn, middlewares=checks),
            edited=EditedRequests(
                turns=self.turns,
                outbox=outbox,
                answer=assistant.answer_edited,
                reminders=services.get(ReminderService),
                middlewares=checks,
            ),
            intake=Intake(self._history, self.access, retry),
            retry=retry,
            turn_claims=cluster.turn_claims,
        )

    def assistant_with(self, interpreter: Interpreter, reads_offline_first: TurnCheck | None = None) -> Assistant:
        """Return an assistant with another interpreter, and the same tools and records."""
        return Assistant(
            self.calls,
            interpreter,
            offline=self._fallback,
            context_for=self.turns.context,
            limits=LoopLimits(rounds=self._settings.model.max_rounds),
            states=self._scopes,
            record_turn=self._record_turn,
            commands=self._commands,
            reads_offline_first=reads_offline_first,
        )

    async def _is_for_the_bot(self, message: ChatMessage) -> bool:
        """Return whether an unaddressed message is a command or the answer to a pending question."""
        if is_managing_command(message.text, self._settings.bot.name):
            return True
        typed = parse_typed(message.text, self._settings.bot.name)
        if typed is not None and not typed.other_bot and self.registry.get(typed.name) is not None:
            return True
        answer = parse_short_answer(message.text, self._settings.bot.name)
        scope = await find_reply_scope(message, self._history)
        if answer is not None and await self._policy.confirmations.waits_for(message, answer, scope):
            return True
        pending = await self._policy.confirmations.open_form(message, scope)
        form = None if pending is None else pending.form
        return form is not None and is_answer(form, message, self._settings.bot.name)


def _looks_like_a_request(text: str) -> bool:
    """Return whether the trained network takes a text for a request; used by `router.listen = "smart"`."""
    return may_ask(text, datetime.now(UTC), language_of(text, "en"))


def mask_failures(mask: SecretMask) -> AfterTool:
    """Return a hook that masks secrets in failed results; a server may quote the key that it refuses."""

    def hook(call: ToolCall, context: CallContext, result: ToolResult) -> ToolResult | None:
        del call, context
        if result.ok:
            return None
        error = None if result.error is None else mask.text(result.error)
        return replace(result, text=mask.text(result.text), error=error)

    return hook
