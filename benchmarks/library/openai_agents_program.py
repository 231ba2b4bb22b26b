import asyncio
from dataclasses import dataclass, field
from typing import Literal

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    RunContextWrapper,
    Runner,
    ToolCallItem,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from openai.types.responses import ResponseTextDeltaEvent
from pydantic import BaseModel


@dataclass
class Shop:
    """Know the prices; instead of a database."""

    prices: dict[str, float] = field(default_factory=dict)


@function_tool
async def price(ctx: RunContextWrapper[Shop], item: Literal["apple", "pear", "plum"]) -> float:
    """Return the price of one piece in euros."""
    return ctx.context.prices[item]


class Offer(BaseModel):
    """An offer to a customer."""

    items: list[str]
    total: float


set_tracing_disabled(True)
model = OpenAIChatCompletionsModel(model="gpt-4o-mini", openai_client=AsyncOpenAI(max_retries=2))
seller = Agent[Shop](
    name="seller",
    model=model,
    model_settings=ModelSettings(include_usage=True),
    instructions="Make an offer. Look up the price of every item.",
    tools=[price],
    output_type=Offer,
)
writer = Agent(name="writer", model=model, instructions="Write a friendly sentence about the offer.")


async def main() -> None:
    """Print an offer, how it was made, and a sentence about it."""
    shop = Shop({"apple": 1, "pear": 2, "plum": 0.5})
    result = await Runner.run(seller, "An apple, a pear and a plum, please.", context=shop)
    offer = result.final_output_as(Offer)
    calls = sum(isinstance(item, ToolCallItem) for item in result.new_items)
    print(f"{offer.total:.2f} EUR, {calls} calls, {result.context_wrapper.usage.total_tokens} tokens")
    stream = Runner.run_streamed(writer, offer.model_dump_json())
    async for event in stream.stream_events():
        if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
            print(event.data.delta, end="", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
