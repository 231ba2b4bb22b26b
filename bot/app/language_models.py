"""Create the language model, wrapped with timing, tracing and the budget, and its interpreter."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from bot.app.infrastructure import Infrastructure
from bot.config.field_errors import SettingInvalid
from bot.config.settings import ModelSettings, Settings
from bot.observability.metrics import ModelLatency
from services.call_log.service import CallLog
from services.call_log.usage import Budgets, DailyBudget, Limit
from services.kernel.clock import Clock
from services.language_model.ports import LanguageModel
from services.time_expressions import TimeReader

if TYPE_CHECKING:
    from bot.observability.telemetry.telemetry import Telemetry
    from function_calls.llm import FunctionCallLLM
    from function_calls.model_calls.styles.style import StyleSource
    from services.call_log.usage import Price
    from services.language_model.fallback import FallbackChain


_OPENAI = "https://api.openai.com/v1"


class ModelStack(Struct, frozen=True, kw_only=True):
    """`model` measures, traces and limits requests; `endpoint` is its connection, to warm up. None without a model."""

    endpoint: "FallbackChain | None"
    model: LanguageModel | None
    latency: ModelLatency
    budget: DailyBudget | None
    telemetry: "Telemetry | None"


@asynccontextmanager
async def model_stack(infrastructure: Infrastructure, endpoint: "FallbackChain | None") -> AsyncIterator[ModelStack]:
    """Wrap `endpoint` with timing, tracing and the budget, and close it when the context ends."""
    settings, latency = infrastructure.settings, ModelLatency()
    budget = budget_of(settings, infrastructure.clock, infrastructure.call_log)
    async with _telemetry_of(infrastructure) as telemetry:
        if endpoint is None:
            yield ModelStack(endpoint=None, model=None, latency=latency, budget=budget, telemetry=telemetry)
            return
        from services.call_log.usage import MeteredModel

        timed = latency.model(endpoint)
        traced = timed if telemetry is None else telemetry.model(timed)
        model = MeteredModel(traced, price=price_of(settings.model), budget=budget)
        try:
            yield ModelStack(endpoint=endpoint, model=model, latency=latency, budget=budget, telemetry=telemetry)
        finally:
            await endpoint.close()


@asynccontextmanager
async def _telemetry_of(infrastructure: Infrastructure) -> AsyncIterator["Telemetry | None"]:
    """Open telemetry if the settings name a collector.

    Raises:
        ConfigError: the extra `telemetry` is not installed.
    """
    settings = infrastructure.settings
    if not settings.telemetry.endpoint:
        yield None
        return
    try:
        from bot.observability.telemetry.telemetry import open_telemetry
    except ImportError as error:
        fields = {"name": "telemetry", "library": error.name, "extra": "telemetry"}
        raise SettingInvalid("settings", "telemetry.endpoint", "needs_library", **fields) from error
    server = (settings.model.base_url or _OPENAI) if settings.model.is_configured else ""
    async with open_telemetry(settings.telemetry, server=server, mask=infrastructure.mask) as telemetry:
        yield telemetry


def language_model(settings: ModelSettings) -> "FallbackChain | None":
    """Return the configured model behind a circuit breaker; None when there is none."""
    if not settings.is_configured:
        return None
    from services.language_model.fallback import FallbackChain
    from services.language_model.openai_model import OpenAIModel, RequestRetries
    from services.language_model.ports import Timeouts

    # After the retries the rules answer the message.
    total = settings.timeout_seconds * (settings.max_retries + 1)
    model = OpenAIModel(
        settings.name,
        base_url=settings.base_url or _OPENAI,
        api_key=settings.api_key.get_secret_value(),
        timeouts=Timeouts(silence=settings.timeout_seconds, total=total),
        retries=RequestRetries(attempts=settings.max_retries + 1),
        extra={"temperature": settings.temperature},
    )
    return FallbackChain([model])


def budget_of(settings: Settings, clock: Clock, log: CallLog) -> DailyBudget | None:
    """Return the budgets of the settings, None without any; `log` has the usage before a restart."""
    budget = settings.budget
    budgets = Budgets(
        message=Limit(tokens=budget.message_tokens, cost=budget.message_cost),
        person=Limit(tokens=budget.person_tokens, cost=budget.person_cost),
        chat=Limit(tokens=budget.chat_tokens, cost=budget.chat_cost),
        day=Limit(tokens=budget.day_tokens, cost=budget.day_cost),
    )
    return DailyBudget(budgets, clock, settings.bot.zone, log.spent_since) if budgets.is_set else None


def price_of(settings: ModelSettings) -> "Price":
    """Return the prices of the settings; cached tokens cost as much as others unless they have a price."""
    from services.call_log.usage import Price

    return Price(
        input=settings.price_per_million_input,
        output=settings.price_per_million_output,
        cached=settings.price_per_million_cached or settings.price_per_million_input,
    )


def model_interpreter(
    model: LanguageModel, settings: ModelSettings, times: TimeReader | None = None
) -> "FunctionCallLLM":
    """Return an interpreter for `model` that compares its calls with the message; `times` parses the times."""
    from function_calls.grounding.review import RuleBasedReview
    from function_calls.llm import FunctionCallLLM
    from function_calls.model_calls.styles.style_detection import StyleName, make_styles
    from function_calls.model_calls.transcript import Instructions

    instructions = Instructions(tools_prompt=settings.tools_prompt, task_model=settings.task_name)

    @cache
    def styles(name: StyleName) -> "StyleSource":
        return make_styles(name, model, instructions)

    return FunctionCallLLM(
        model,
        styles=styles(settings.function_calling),
        named_styles=styles,
        is_streaming=settings.stream,
        reviewer=RuleBasedReview(read_times=(times or TimeReader()).parse_all),
        tool_search_above=settings.tool_search_above,
    )
