"""Build the parts that handle a message: call router, turns, middlewares and assistant."""

from functools import partial

from msgspec.structs import replace

from bot.app.cluster import SingleWorker
from bot.app.infrastructure import Infrastructure
from bot.app.interpreters import Interpreters
from bot.app.language_models import ModelStack
from bot.inbound.account_links import AccountLinkCommands
from bot.inbound.corrections import Corrections, EditedRequests
from bot.inbound.cross_chat import CrossChatCommands
from bot.inbound.intake import Intake, StorageRetry
from bot.inbound.middleware import AccessFilter, ChatOrder, Commands, Deduplication, ListenFilter, Middleware, RateLimit
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
from function_calls.conversation.records.recorder import TurnRecorder
from function_calls.conversation.switch_command import ToolCommands
from function_calls.conversation.undecided_answers import can_only_mean_bot
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpreter, ToolCall, ToolResult
from function_calls.tools.context import CallContext, Services
from function_calls.tools.dispatch.hooks import AfterTool, ToolHooks
from function_calls.tools.policy import CallPolicy
from services.call_log.secret_mask import SecretMask
from services.call_log.service import CallLog
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.people.account_links import PeopleService
from services.people.chat_aliases import ChatAliasService
from services.people.zones import ZoneService
from services.reminders.service import ReminderService
from services.storage.messages.chat_moves import move_chat
from services.summary.service import SummaryService


def create_calls(
    infrastructure: Infrastructure,
    registry: Registry,
    policy: CallPolicy,
    recorder: TurnRecorder,
    models: ModelStack,
    cluster: SingleWorker,
) -> FunctionCallRouter:
    """Return the router of calls, which records and traces each of them."""
    calls = FunctionCallRouter(
        registry,
        default_timeout=infrastructure.settings.router.tool_timeout_seconds or None,
        hooks=ToolHooks(before=[*cluster.before_tool], after=[mask_failures(infrastructure.mask)]),
        on_dispatched=recorder.record_call,
        policy=policy,
    )
    if models.telemetry is not None:
        models.telemetry.listen(calls.events)
    return calls


def mask_failures(mask: SecretMask) -> AfterTool:
    """Return a hook that masks secrets in failed results; a server may quote the key that it refuses."""

    def hook(call: ToolCall, context: CallContext, result: ToolResult) -> ToolResult | None:
        del call, context
        if result.ok:
            return None
        error = None if result.error is None else mask.text(result.error)
        return replace(result, text=mask.text(result.text), error=error)

    return hook


def create_turns(
    infrastructure: Infrastructure, calls: FunctionCallRouter, services: Services, outbox: Outbox
) -> TurnFactory:
    """Return the factory of turns, with drafts for the streamed answers."""
    settings, clock = infrastructure.settings, infrastructure.clock
    return TurnFactory(
        bot_name=settings.bot.name,
        language=settings.bot.language,
        zones=services.get(ZoneService),
        context_messages=settings.router.context_messages,
        clock=clock,
        history=services.get(HistoryService),
        calls=calls,
        services=services,
        outbox=outbox,
        drafts=Drafts(outbox, clock, is_wanted=settings.router.stream_replies),
        call_styles=settings.model.chat_function_calling,
    )


class Pipeline:
    """Middlewares, message router and assistants.

    Endpoints that do not use the message router apply `access` and `rate_limit` themselves.
    """

    def __init__(
        self,
        infrastructure: Infrastructure,
        *,
        turns: TurnFactory,
        policy: CallPolicy,
        interpreters: Interpreters,
        recorder: TurnRecorder,
        models: ModelStack,
        plugins: PluginManager,
        cluster: SingleWorker,
        watchdog: Watchdog | None,
    ) -> None:
        settings, clock = infrastructure.settings, infrastructure.clock
        self._settings = settings
        self._scopes = infrastructure.scope_store
        self._move_chat = partial(move_chat, infrastructure.database)
        self._turns = turns
        self._policy = policy
        self._interpreters = interpreters
        self._telemetry = models.telemetry
        self._record_turn = recorder.turn if self._telemetry is None else self._telemetry.trace_turns(recorder.turn)
        self._commands = self._create_commands(plugins)
        self._in_order, self._retry = ChatOrder(), StorageRetry(clock)
        self.access = AccessFilter(settings.router.allowed_chats)
        self.rate_limit = RateLimit(
            settings.router.messages_per_minute,
            clock,
            chat_messages_per_minute=settings.router.chat_messages_per_minute,
        )
        self.router = self._create_router(plugins, cluster, watchdog)

    def assistant_with(self, interpreter: Interpreter, prefers_rules: TurnCheck | None = None) -> Assistant:
        """Return an assistant with another interpreter, and the same tools and records."""
        return Assistant(
            self._turns.calls,
            interpreter,
            rules=self._interpreters.rules_with_follow_ups,
            context_for=self._turns.context,
            limits=LoopLimits(rounds=self._settings.model.max_rounds),
            states=self._scopes,
            record_turn=self._record_turn,
            commands=self._commands,
            prefers_rules=prefers_rules,
            dialogues=self._interpreters.rules,
        )

    def _create_commands(self, plugins: PluginManager) -> list[Command]:
        """Return the commands, which are tried in this order before a message is interpreted."""
        turns, policy, people = self._turns, self._policy, self._turns.services.get(PeopleService)
        return [
            ToolCommands(turns.calls, policy),
            PluginCommands(plugins, policy),
            AccountLinkCommands(people, turns.outbox),
            CrossChatCommands(
                aliases=turns.services.get(ChatAliasService),
                people=people,
                outbox=turns.outbox,
                turns=turns,
                rules=self._interpreters.rules_with_follow_ups,
                interpreter=self._interpreters.primary,
                policy=policy,
            ),
            *plugins.chat_commands(),
            answer_unknown_command,
        ]

    def _create_router(self, plugins: PluginManager, cluster: SingleWorker, watchdog: Watchdog | None) -> MessageRouter:
        turns, services, retry = self._turns, self._turns.services, self._retry
        assistant = self.assistant_with(self._interpreters.primary, self._interpreters.prefers_rules)
        checks: list[Middleware] = [self.access, self._in_order, self.rate_limit]
        return MessageRouter(
            assistant=assistant,
            outbox=turns.outbox,
            turn_for=turns.turn,
            middlewares=self._create_middlewares(plugins, watchdog),
            corrections=Corrections(turns.history, services.get(CallLog), services.get(SummaryService)),
            drafts=turns.drafts,
            reactions=Reactions(turns=turns, outbox=turns.outbox, record_turn=self._record_turn, middlewares=checks),
            edited=EditedRequests(
                turns=turns,
                outbox=turns.outbox,
                answer=assistant.answer_edited,
                reminders=services.get(ReminderService),
                middlewares=checks,
            ),
            intake=Intake(turns.history, self.access, retry, move_chat=self._move_chat),
            retry=retry,
            turn_claims=cluster.turn_claims,
        )

    def _create_middlewares(self, plugins: PluginManager, watchdog: Watchdog | None) -> list[Middleware]:
        """Return the middlewares of messages, the outermost first."""
        turns, bot = self._turns, self._settings.bot
        first: list[Middleware] = []
        if watchdog is not None:
            first.append(
                UnreadableMessages(
                    watchdog=watchdog,
                    access=self.access,
                    outbox=turns.outbox,
                    history=turns.history,
                    zones=turns.zones,
                    language=bot.language,
                )
            )
        if self._telemetry is not None:
            first.append(self._telemetry)
        return [
            *first,
            self.access,
            self._in_order,
            self._retry,
            Deduplication(turns.history),
            Commands(bot.name, bot.language),
            ListenFilter(self._settings.router.listen, self._is_for_the_bot),
            self.rate_limit,
            *plugins.middlewares(),
        ]

    async def _is_for_the_bot(self, message: ChatMessage) -> bool:
        """Return whether an unaddressed message is a command or the answer to a pending question."""
        bot_name, history = self._settings.bot.name, self._turns.history
        if is_managing_command(message.text, bot_name):
            return True
        return await can_only_mean_bot(message, self._turns.calls, self._policy, history, bot_name)
