"""Questions of an MCP server during a call, answered in the chat (protocol 2026-07-28)."""

from contextlib import asynccontextmanager
from datetime import date, timedelta
from typing import Annotated, Literal

import pytest
from mcp.server import MCPServer
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Elicit, ElicitationResult, Resolve
from mcp.types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    InputRequiredResult,
    ListToolsResult,
    TextContent,
    Tool,
)
from pydantic import BaseModel, Field

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, RouterSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.platform import FakePlatform
from bot.tools.servers.mcp.servers import McpServer
from bot.tools.servers.mcp.toolset import McpToolset
from function_calls.toolsets.combined import combine_external
from services.storage.database import Database
from tests.support.tool_servers.mcp_toolsets import in_process, running
from tests.unit.tool_servers.conftest import NOON

SETTINGS = Settings(
    bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False), router=RouterSettings(listen="addressed")
)


class Seats(BaseModel):
    """The number of guests and their place."""

    people: int = Field(title="People", ge=1, le=8)
    place: Literal["inside", "terrace"] = Field(title="Place")
    note: str | None = Field(None, title="Note", description="Anything the kitchen should know")


class Sure(BaseModel):
    """One yes or no."""

    sure: bool = Field(title="Are you sure")


class Topics(BaseModel):
    """Several of a list."""

    topics: list[Literal["news", "sport", "culture"]] = Field(title="Topics")


class Day(BaseModel):
    """A date."""

    day: date = Field(title="Day")


class Name(BaseModel):
    """A free text."""

    name: str = Field(title="Name")


def ask_seats(restaurant: str) -> Elicit[Seats]:
    """Ask for the seats."""
    return Elicit(f"Details for {restaurant}", Seats)


def ask_sure() -> Elicit[Sure]:
    """Ask for a yes."""
    return Elicit("This closes the account", Sure)


def ask_topics() -> Elicit[Topics]:
    """Ask for topics."""
    return Elicit("Which topics", Topics)


def ask_name() -> Elicit[Name]:
    """Ask for a name."""
    return Elicit("Who is it for", Name)


def ask_day() -> Elicit[Day]:
    """Ask for a day."""
    return Elicit("When should it come", Day)


def restaurant_server():
    server = MCPServer("restaurant")

    @server.tool()
    def book_table(restaurant: str, seats: Annotated[ElicitationResult[Seats], Resolve(ask_seats)]) -> str:
        """Book a table."""
        if seats.action != "accept":
            return f"nothing booked: {seats.action}"
        return f"booked {restaurant}: {seats.data.people}, {seats.data.place}, {seats.data.note}"

    @server.tool()
    def close_account(sure: Annotated[Sure, Resolve(ask_sure)]) -> str:
        """Close the account."""
        return f"closed: {sure.sure}"

    @server.tool()
    def follow(topics: Annotated[Topics, Resolve(ask_topics)]) -> str:
        """Follow topics."""
        return f"follow {', '.join(topics.topics)}"

    @server.tool()
    def order_cake(name: Annotated[Name, Resolve(ask_name)]) -> str:
        """Order a cake."""
        return f"a cake for {name.name}"

    @server.tool()
    def deliver_cake(day: Annotated[Day, Resolve(ask_day)]) -> str:
        """Deliver the cake."""
        return f"delivered on {day.day}"

    return server


def asking_server(*params):
    """Return a server whose tool `sign_in` asks these questions and then returns the answers."""

    async def list_tools(ctx, request):
        return ListToolsResult(tools=[Tool(name="sign_in", input_schema={"type": "object", "properties": {}})])

    async def call_tool(ctx, request):
        if request.input_responses is None:
            requests = {f"q{place}": ElicitRequest(params=each) for place, each in enumerate(params)}
            return InputRequiredResult(input_requests=requests, request_state="opaque-1")
        actions = ", ".join(each.action for each in request.input_responses.values())
        return CallToolResult(content=[TextContent(text=f"{request.request_state}: {actions}")])

    return Server("office", on_list_tools=list_tools, on_call_tool=call_tool)


EXAMPLES = {
    "book_table": ("book a table at {restaurant}",),
    "close_account": ("close the account",),
    "follow": ("follow some topics",),
    "deliver_cake": ("deliver the cake",),
    "order_cake": ("order a cake",),
    "sign_in": ("sign in to the office",),
}


@pytest.fixture
def clock():
    return StandingClock(NOON)


@pytest.fixture
def chat(clock):
    """Return a function that opens a chat with a bot that uses the tools of a server."""

    @asynccontextmanager
    async def opened(server, address="sqlite://"):
        settings = McpServer(name="Mario", command="unused", confirm="never", examples=EXAMPLES)
        platform = FakePlatform(clock=clock)
        async with (
            running(McpToolset(settings, connect=in_process(server), first_pause=0.01)) as toolset,
            build_app(SETTINGS, platforms=[platform], clock=clock, database=Database(address)) as app,
        ):
            combine_external(app.calls, {"mario": toolset})
            yield platform

    return opened


async def test_form_is_asked_field_by_field_and_sent_when_it_is_complete(chat):
    async with chat(restaurant_server()) as ann:
        await ann.say("book a table at Luigi", is_private=True)
        await ann.say("4", is_private=True)
        await ann.say("terrace", is_private=True)
        await ann.say("no nuts please", is_private=True, reply_to=ann.sent_ids[-1])

        assert ann.texts[0].startswith("Mario asks: Details for Luigi\nPeople?")
        assert "1. inside\n2. terrace" in ann.texts[1]
        assert "Note: Anything the kitchen should know" in ann.texts[2]
        assert "booked Luigi: 4, terrace, no nuts please" in ann.texts[3]


async def test_options_have_buttons_and_an_optional_field_can_be_skipped(chat):
    async with chat(restaurant_server()) as ann:
        await ann.say("book a table at Luigi", is_private=True)
        await ann.say("2", is_private=True)
        labels = [choice.label for choice in ann.sent[-1][1].choices]
        await ann.say(ann.sent[-1][1].choices[1].says, is_private=True)
        await ann.say("skip", is_private=True)

        assert labels == ["inside", "terrace", "Cancel"]
        assert "booked Luigi: 2, terrace, None" in ann.texts[-1]


async def test_answer_that_does_not_fit_is_asked_again_with_the_reason(chat):
    async with chat(restaurant_server()) as ann:
        await ann.say("book a table at Luigi", is_private=True)
        await ann.say("12", is_private=True)
        again = ann.texts[-1]
        await ann.say("3", is_private=True)

        assert again.startswith("That does not fit.")
        assert "8" in again
        assert "People?" in again
        assert "Place?" in ann.texts[-1]


async def test_number_of_thousands_of_digits_is_no_option(chat):
    async with chat(restaurant_server()) as ann:
        await ann.say("book a table at Luigi", is_private=True)
        await ann.say("2", is_private=True)
        await ann.say("9" * 5000, is_private=True)

        assert "too long" in ann.texts[-1]


@pytest.mark.parametrize("word", ["cancel", "取消"])
async def test_cancelled_form_is_declined(chat, word):
    async with chat(restaurant_server()) as ann:
        await ann.say("book a table at Luigi", is_private=True)
        await ann.say(word, is_private=True)

        assert "nothing booked: decline" in ann.texts[-1]


@pytest.mark.parametrize(
    ("answer", "expected"), [("yes", "closed: True"), ("no", "closed: False"), ("是的", "closed: True")]
)
async def test_boolean_is_answered_by_a_yes_or_a_no(chat, answer, expected):
    async with chat(restaurant_server()) as ann:
        await ann.say("close the account", is_private=True)
        await ann.say(answer, is_private=True)

        assert expected in ann.texts[-1]


@pytest.mark.parametrize("answer", ["1, 3", "news and culture", "News、Culture"])
async def test_several_options_are_chosen_at_once(chat, answer):
    async with chat(restaurant_server()) as ann:
        await ann.say("follow some topics", is_private=True)
        await ann.say(answer, is_private=True)

        assert "follow news, culture" in ann.texts[-1]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("tomorrow", "2026-11-21"), ("on Monday", "2026-11-23"), ("明天", "2026-11-21"), ("3 March 1990", "1990-03-03")],
)
async def test_date_is_answered_in_words(chat, answer, expected):
    async with chat(restaurant_server()) as ann:
        await ann.say("deliver the cake", is_private=True)
        await ann.say(answer, is_private=True)

        assert f"delivered on {expected}" in ann.texts[-1]


async def test_request_for_the_bot_is_no_free_answer(chat):
    async with chat(restaurant_server()) as ann:
        await ann.say("order a cake", is_private=True)
        await ann.say("remind me at 18:00 to call mum", is_private=True)
        await ann.say("Ann", is_private=True)

        assert "call mum" in ann.texts[1]
        assert not any("a cake for" in text for text in ann.texts)


async def test_text_in_a_group_is_an_answer_only_as_a_reply(chat):
    async with chat(restaurant_server()) as group:
        await group.say("Bubbles, order a cake")
        await group.say("what a day")
        unanswered = len(group.texts)
        await group.say("Granny Weatherwax", reply_to=group.sent_ids[0])

        assert unanswered == 1
        assert "a cake for Granny Weatherwax" in group.texts[-1]


async def test_question_is_not_answered_by_another_person(chat):
    async with chat(restaurant_server()) as group:
        await group.say("Bubbles, close the account")
        await group.say("yes", sender="bob", reply_to=group.sent_ids[0])

        assert not any("closed" in text and "True" in text for text in group.texts)


async def test_question_waits_ten_minutes(chat, clock):
    async with chat(restaurant_server()) as ann:
        await ann.say("close the account", is_private=True)
        clock.set(clock.now() + timedelta(minutes=11))
        await ann.say("yes", is_private=True)

        assert not any("closed: True" in text for text in ann.texts)


async def test_button_of_an_answered_field_answers_nothing_else(chat):
    async with chat(restaurant_server()) as ann:
        await ann.say("book a table at Luigi", is_private=True)
        first = ann.sent_ids[-1]
        await ann.say("4", is_private=True, reply_to=first)
        await ann.say("2", is_private=True, reply_to=first)
        late = ann.texts[-1]
        await ann.say("1", is_private=True)
        await ann.say("skip", is_private=True)

        assert late == "That question has already been answered."
        assert "booked Luigi: 4, inside, None" in ann.texts[-1]


async def test_form_goes_on_after_a_restart(chat, tmp_path):
    server, address = restaurant_server(), f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with chat(server, address) as ann:
        await ann.say("book a table at Luigi", is_private=True, message_id="a")
        await ann.say("4", is_private=True, message_id="b")
    async with chat(server, address) as ann:
        await ann.say("inside", is_private=True, message_id="c")
        await ann.say("skip", is_private=True, message_id="d")

        assert "booked Luigi: 4, inside, None" in ann.texts[-1]


async def test_address_is_shown_with_its_host_and_only_agreed_to(chat):
    params = ElicitRequestURLParams(message="Sign in first", url="https://login.example.org/start?x=1")
    async with chat(asking_server(params)) as ann:
        await ann.say("sign in to the office", is_private=True)
        question = ann.texts[-1]
        await ann.say("yes", is_private=True)

        assert "login.example.org" in question
        assert "https://login.example.org/start?x=1" in question
        assert "opaque-1: accept" in ann.texts[-1]


async def test_host_with_letters_that_look_alike_is_shown_in_ascii(chat):
    params = ElicitRequestURLParams(message="Sign in first", url="https://exаmple.org/start")  # a Cyrillic letter
    async with chat(asking_server(params)) as ann:
        await ann.say("sign in to the office", is_private=True)

        assert "xn--exmple-4nf.org" in ann.texts[-1]


async def test_refused_address_is_declined(chat):
    params = ElicitRequestURLParams(message="Sign in first", url="https://login.example.org/start")
    async with chat(asking_server(params)) as ann:
        await ann.say("sign in to the office", is_private=True)
        await ann.say("no", is_private=True)

        assert "opaque-1: decline" in ann.texts[-1]


@pytest.mark.parametrize(
    "params",
    [
        ElicitRequestURLParams(message="Here", url="http://login.example.org/"),
        ElicitRequestURLParams(message="Here", url="javascript:alert(1)"),
        ElicitRequestURLParams(message="Here", url="https://[login.example.org/"),
        ElicitRequestFormParams(
            message="Sign in", requested_schema={"type": "object", "properties": {"password": {"type": "string"}}}
        ),
    ],
)
async def test_secret_or_unencrypted_address_is_declined_without_asking(chat, params):
    async with chat(asking_server(params)) as ann:
        await ann.say("sign in to the office", is_private=True)

        assert ann.texts == ["opaque-1: decline"]


async def test_several_questions_at_once_are_asked_one_after_the_other(chat):
    empty = ElicitRequestFormParams(message="May I?", requested_schema={"type": "object", "properties": {}})
    url = ElicitRequestURLParams(message="Sign in first", url="https://login.example.org/start")
    async with chat(asking_server(empty, url)) as ann:
        await ann.say("sign in to the office", is_private=True)
        await ann.say("yes", is_private=True)
        await ann.say("yes", is_private=True)

        assert "May I?" in ann.texts[0]
        assert "login.example.org" in ann.texts[1]
        assert "opaque-1: accept, accept" in ann.texts[2]
