import asyncio
from typing import Literal

from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, RunContext
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


class Shop:
    """Know the prices; instead of a database."""

    def __init__(self, **prices: float) -> None:
        self.prices = prices


class Offer(BaseModel):
    """An offer to a customer."""

    items: list[str]
    total: float


model = OpenAIChatModel("gpt-4o-mini", provider=OpenAIProvider(openai_client=AsyncOpenAI(max_retries=2)))
seller = Agent(
    model,
    instructions="Make an offer. Look up the price of every item.",
    output_type=Offer,
    deps_type=Shop,
    retries=1,
)
writer = Agent(model, instructions="Write a friendly sentence about the offer.")


@seller.tool
async def price(ctx: RunContext[Shop], item: Literal["apple", "pear", "plum"]) -> float:
    """Return the price of one piece in euros."""
    return ctx.deps.prices[item]


async def main() -> None:
    """Print an offer, how it was made, and a sentence about it."""
    result = await seller.run("An apple, a pear and a plum, please.", deps=Shop(apple=1, pear=2, plum=0.5))
    usage = result.usage
    print(f"{result.output.total:.2f} EUR, {usage.tool_calls} calls, {usage.total_tokens} tokens")
    async with writer.run_stream(result.output.model_dump_json()) as stream:
        async for piece in stream.stream_text(delta=True, debounce_by=None):
            print(piece, end="", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
