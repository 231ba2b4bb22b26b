"""An MCP server of a shop on `fastmcp`, run by tests as a process over stdio."""

from fastmcp import Context, FastMCP
from fastmcp.utilities.types import Audio, Image
from mcp.types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
from pydantic import BaseModel

SIZES = {
    "type": "object",
    "properties": {"size": {"type": "string", "title": "Size", "enum": ["small", "large"]}},
    "required": ["size"],
}

server = FastMCP("shop")


class Price(BaseModel):
    """The price of a cake."""

    cake: str
    euros: float


@server.tool
def get_price(cake: str) -> Price:
    """Return the price of a cake."""
    return Price(cake=cake, euros=12.5)


@server.tool
def get_picture() -> Image:
    """Show the shop."""
    return Image(data=b"\x89PNG shop", format="png")


@server.tool
def get_jingle() -> Audio:
    """Play the jingle of the shop."""
    return Audio(data=b"RIFF jingle", format="wav")


@server.tool
async def get_count(ctx: Context) -> str:
    """Count the cakes and report the progress."""
    for step in (1, 2):
        await ctx.report_progress(step, 2, f"shelf {step}")
    return "two"


@server.tool
def order_cake(ctx: Context) -> str | InputRequiredResult:
    """Order a cake after asking for its size."""
    if ctx.input_responses is None:
        request = ElicitRequest(params=ElicitRequestFormParams(message="Which size?", requested_schema=SIZES))
        return InputRequiredResult(input_requests={"size": request}, request_state="order-7")
    answer = ctx.input_responses["size"]
    return f"{ctx.request_state}: {answer.action} {answer.content}"


@server.tool
async def wrap_cake(ctx: Context) -> str:
    """Wrap a cake; asks for the paper during the call, which protocols before 2026-07-28 allow."""
    answer = await ctx.elicit("Which paper?", response_type=str)
    return f"wrapped: {answer.action}"


if __name__ == "__main__":
    server.run(show_banner=False)
