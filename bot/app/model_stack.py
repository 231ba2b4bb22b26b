"""Wrap the language model with timing, tracing and the budget."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from bot.app.infrastructure import Infrastructure
from bot.app.language_models import budget_policy_of, meter_model
from bot.app.tracing import Telemetry, telemetry_of
from bot.observability.model_latency import ModelLatency
from services.call_log.usage import BudgetPolicy
from services.language_model.ports import LanguageModel

if TYPE_CHECKING:
    from services.language_model.fallback import FallbackChain


class ModelStack(Struct, frozen=True, kw_only=True):
    """Everybody asks `asked`, and `client` speaks to the server; both are None where there is no model."""

    client: "FallbackChain | None"
    asked: LanguageModel | None
    latency: ModelLatency
    budget: BudgetPolicy
    telemetry: Telemetry | None


@asynccontextmanager
async def model_stack(infrastructure: Infrastructure, client: "FallbackChain | None") -> AsyncIterator[ModelStack]:
    """Open the model behind `client`; its connections close with the context."""
    settings, latency = infrastructure.settings, ModelLatency()
    budget = budget_policy_of(settings, infrastructure.clock, infrastructure.log)
    async with telemetry_of(settings.telemetry) as telemetry:
        if client is None:
            yield ModelStack(client=None, asked=None, latency=latency, budget=budget, telemetry=telemetry)
            return
        timed = latency.model(client)
        traced = timed if telemetry is None else telemetry.model(timed)
        asked = meter_model(traced, settings.model, budget)
        try:
            yield ModelStack(client=client, asked=asked, latency=latency, budget=budget, telemetry=telemetry)
        finally:
            await client.close()
