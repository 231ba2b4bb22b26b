"""A router agent with two specialists, offline and without a key.

Run: python examples/agents/agents.py

The agents think with `Patterns`. A language model takes its place without another change: every `model=` below also
takes one, such as `OpenAIModel`, and reads the instructions, descriptions and tools that are here already.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.plugins.contributions import Contributions
from function_calls import (
    Agent,
    AgentTool,
    CallContext,
    Interpretation,
    Session,
    ToolCall,
    ToolFailed,
    Turn,
    tool_function,
)

WEATHER = {"berlin": "4 °C, rain / 小雨", "beijing": "9 °C, clear / 晴"}
CITIES = {"柏林": "berlin", "北京": "beijing"}
EUROS = {"EUR": 1.0, "USD": 0.9, "CNY": 0.12}


@tool_function(returns="reply")
async def weather(ctx: CallContext, city: str = "") -> str:
    """Tell the weather; without a city that of the one asked for last (查天气)."""
    place = city or str(ctx.state.get("city", ""))
    known = CITIES.get(place, place.lower())
    if known not in WEATHER:
        raise ToolFailed("I know the weather of Berlin and Beijing. / 我只知道柏林和北京的天气。")
    ctx.state["city"] = known
    return f"{known.title()}: {WEATHER[known]}"


@tool_function(returns="reply")
async def convert(amount: float, source: Literal["EUR", "USD", "CNY"], target: Literal["EUR", "USD", "CNY"]) -> str:
    """Convert money (换算货币)."""
    return f"{amount:g} {source} = {amount * EUROS[source] / EUROS[target]:.2f} {target}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """Words that mean a call: named groups and `fixed` are its arguments."""

    words: str
    tool: str
    fixed: Mapping[str, str]


class Patterns:
    """Understands a message by its words, or says `otherwise`."""

    def __init__(self, *patterns: Pattern, otherwise: str) -> None:
        self._patterns = patterns
        self._otherwise = otherwise

    async def interpret(self, turn: Turn) -> Interpretation:
        """Return the call of the first pattern that matches, or after a call its result."""
        if turn.steps:
            return Interpretation(answer=turn.steps[-1].results[-1].text)
        for pattern in self._patterns:
            found = re.search(pattern.words, turn.message.text, re.IGNORECASE)
            if found is not None:
                named = {name: _value(text) for name, text in found.groupdict().items() if text}
                return Interpretation(
                    calls=(ToolCall(id="1", name=pattern.tool, arguments={**named, **pattern.fixed}),)
                )
        return Interpretation(answer=self._otherwise)


def _value(text: str) -> object:
    return float(text) if text.replace(".", "", 1).isdigit() else text.upper() if len(text) == len("EUR") else text


def travel_desk() -> Agent:
    """Build the router with its two specialists."""
    forecaster = Agent(
        name="forecaster",
        description="Knows the weather. / 天气",
        instructions="Tell the weather; ask for the city when none was named yet.",
        model=Patterns(
            Pattern(words=r"(?P<city>berlin|beijing|柏林|北京)", tool="weather", fixed={}),
            Pattern(words=r"", tool="weather", fixed={}),
            otherwise="",
        ),
        tools=[weather],
    )
    cashier = Agent(
        name="cashier",
        description="Converts euros, dollars and yuan. / 货币",
        instructions="Convert amounts of money.",
        model=Patterns(
            Pattern(
                words=r"(?P<amount>[\d.]+) ?(?P<source>[a-z]{3}) ?(in|to|换) ?(?P<target>[a-z]{3})",
                tool="convert",
                fixed={},
            ),
            otherwise="Try: 20 usd in eur / 试试:20 usd 换 eur",
        ),
        tools=[convert],
    )
    return Agent(
        name="travel_desk",
        description="Answers questions of travellers: weather and money.",
        instructions="Hand every question over to the specialist for it.",
        model=Patterns(
            Pattern(words=r"weather|天气|and there|那里", tool="transfer_to_agent", fixed={"agent_name": "forecaster"}),
            Pattern(words=r"\b(eur|usd|cny)\b", tool="transfer_to_agent", fixed={"agent_name": "cashier"}),
            otherwise="I know about weather and money. / 我懂天气和货币。",
        ),
        sub_agents=[forecaster, cashier],
    )


class TravelPlugin:
    """The desk as one more function of the bot: `build_app(functions=[TravelPlugin()])`."""

    def __init__(self) -> None:
        self.travel_desk = AgentTool(
            travel_desk(), returns="reply", examples=("ask the travel desk {request}", "问旅行台{request}")
        )


def setup(add: Contributions) -> None:
    """Register the plugin: copy this file into `plugins/` and ask the bot for the travel desk."""
    add.functions.append(TravelPlugin())


async def converse(lines: list[str]) -> list[str]:
    """Return the answers of the travel desk to `lines`, which one person writes one after the other."""
    desk, session = travel_desk(), Session()
    return [(await desk.run(line, session=session)).output for line in lines]


SAID = ["What is the weather in Berlin?", "北京天气怎么样?", "And there?", "20 usd in eur", "Good morning!"]


def main() -> None:
    """Print a conversation."""
    for line, answer in zip(SAID, asyncio.run(converse(SAID)), strict=True):
        print(f"Ann: {line}\nDesk: {answer}")


if __name__ == "__main__":
    main()
