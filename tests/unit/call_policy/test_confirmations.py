"""Confirmations of calls by the person who requested them."""

from datetime import date, timedelta
from enum import Enum

import pytest
from msgspec.structs import replace
from pydantic import BaseModel

from function_calls.conversation.undecided_answers import can_only_mean_bot
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.confirmation.yes_no import parse_yes_no
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.chat import Person
from tests.support.stores.messages import MemoryMessageStore
from tests.unit.call_policy.conftest import call

BAN = call("ban", name="bob", days=7)
ASKED = "Shall I really do this? ban\n• name: bob\n• days: 7\nSay yes or no within ten minutes."


class Bans:
    """A function that needs a confirmation, and the arguments that reached it."""

    def __init__(self):
        self.made = []

    def tool(self, **options):
        @tool_function(returns="reply", examples=["ban {name}", "封禁{name}"], **{"confirm": True} | options)
        async def ban(name: str, ctx: CallContext, days: int = 1) -> str:
            """Ban somebody."""
            self.made.append((name, days, ctx))
            return f"banned {name} for {days}"

        return ban


class Room(Enum):
    ADA = "ada"


class Booking(BaseModel):
    day: date
    room: Room


def words_of_booking(booking: Booking) -> str:
    assert isinstance(booking, Booking)
    return f"{booking.day:%A}, {booking.room.name}"


@pytest.fixture
def bans():
    return Bans()


async def test_person_is_asked_with_the_exact_effect(room, bans):
    answer = await room(bans.tool(), script=[[BAN]]).say("ban bob for a week")

    assert answer == ASKED
    assert bans.made == []


async def test_confirmation_is_requested_in_the_language_of_the_person(room, bans):
    answer = await room(bans.tool()).say("封禁小明")

    assert answer == "真的要这样做吗？ban\n• name：小明\n请回答“好”或“算了”，十分钟内有效。"


@pytest.mark.parametrize("yes", ["yes", "Yes, please!", "好", "确认", "確認", "OK", "Bubbles, do it", "👍🏽"])
async def test_confirmed_call_is_run(room, bans, yes):
    here = room(bans.tool(), script=[[BAN]])
    await here.say("ban bob for a week")

    assert await here.say(yes) == "banned bob for 7"


@pytest.mark.parametrize("no", ["no", "never mind", "算了", "不要", "取消。"])
async def test_declined_call_is_dropped(room, bans, no):
    here = room(bans.tool(), script=[[BAN], "as you say"])
    await here.say("ban bob for a week")
    await here.say(no)
    await here.say("yes")

    assert bans.made == []


async def test_yes_is_handled_without_a_model(room, bans):
    here = room(bans.tool(), script=[[BAN]])
    await here.say("ban bob for a week")
    await here.say("yes")

    assert len(here.model.turns) == 1


async def test_call_is_confirmed_without_a_model(room, bans):
    here = room(bans.tool())
    question = await here.say("ban bob")

    assert question.startswith("Shall I really do this?")
    assert await here.say("yes") == "banned bob for 1"


async def test_second_yes_does_nothing(room, bans):
    here = room(bans.tool(), script=[[BAN], "hm?"])
    await here.say("ban bob for a week")
    await here.say("yes")
    await here.say("yes")

    assert len(bans.made) == 1


@pytest.mark.parametrize("other", [{"sender": "carl"}, {"chat": "work"}])
async def test_confirmation_counts_from_the_same_person_and_chat_only(room, bans, other):
    here = room(bans.tool(), script=[[BAN], "hm?"])
    await here.say("ban bob for a week")
    await here.say("yes", **other)

    assert bans.made == []


async def test_question_expires_after_ten_minutes(room, bans):
    here = room(bans.tool(), script=[[BAN], "hm?"])
    await here.say("ban bob for a week")
    await here.clock.nap(timedelta(minutes=10, seconds=1).total_seconds())
    await here.say("yes")

    assert bans.made == []


async def test_a_question_stored_by_an_earlier_version_is_answered(room, bans):
    here = room(bans.tool())
    stored = {
        "message": "m0",
        "text": "ban bob for a week",
        "sent_at": "2026-11-20T12:00:00+00:00",
        "mentions": [{"id": "bob", "name": "Bob"}],
        "call_id": "m0/0.0",
        "agent": "",
        "answers": [],
        "needs": "",
        "asked_in": ["m0"],
        "asked_at": None,
        "name": "ban",
        "arguments": {"name": "bob", "days": 7},
    }
    await here.store.set("confirm:fake:home#ann", [stored], keep=timedelta(days=1))

    assert await here.say("yes") == "banned bob for 7"
    assert bans.made[0][2].message.mentions == (Person(id="bob", name="Bob"),)


async def test_other_talk_leaves_the_confirmation_pending(room, bans):
    here = room(bans.tool(), script=[[BAN], "It is sunny.", "Yes, that is so."])
    await here.say("ban bob for a week")
    await here.say("how is the weather?")
    await here.say("yes, the weather is fine")

    assert bans.made == []
    assert await here.say("yes") == "banned bob for 7"


async def test_later_question_replaces_an_earlier_one(room, bans):
    here = room(bans.tool(), script=[[BAN], [call("ban", name="eve")]])
    await here.say("ban bob for a week")
    await here.say("ban eve")
    await here.say("yes")

    assert [name for name, _, _ in bans.made] == ["eve"]


async def test_the_calls_of_one_message_are_confirmed_together(room, bans):
    both = [
        ToolCall(id="1", name="ban", arguments={"name": "bob"}),
        ToolCall(id="2", name="ban", arguments={"name": "eve"}),
    ]
    here = room(bans.tool(), script=[both])
    await here.say("ban bob and eve")

    assert await here.say("yes") == "banned bob for 1\nbanned eve for 1"


async def test_the_confirmed_call_runs_in_the_context_of_the_message_that_asked(room, bans):
    here = room(bans.tool(), script=[[BAN]])
    asking = here.message("ban @bob for a week", mentions=(Person(id="b", name="bob"),))
    await here.assistant.answer(await here.turn(asking))
    await here.say("yes")
    (_, _, context) = bans.made[0]

    assert (context.message.id, context.message.text) == (asking.id, asking.text)
    assert context.message.mentions == asking.mentions
    assert context.call_id == f"{asking.id}/0.0"


async def test_times_of_a_confirmed_call_count_from_the_request(room, bans):
    here = room(bans.tool(), script=[[BAN]])
    await here.say("ban bob for a week")
    asked_at = here.clock.now()
    here.clock.set(asked_at + timedelta(minutes=5))
    await here.say("yes")
    context = bans.made[0][-1]

    assert (context.message_time, context.now) == (asked_at, here.clock.now())


async def test_a_function_of_the_arguments_decides_and_words_the_question(room, bans):
    def long_ones(arguments):
        return f"ban {arguments['name']} for a whole week" if arguments.get("days", 1) > 3 else False

    here = room(bans.tool(confirm=long_ones), script=[[BAN], [call("ban", name="eve")]])

    assert (await here.say("ban bob for a week")).startswith("Shall I really do this? ban bob for a whole week\n")
    assert await here.say("ban eve") == "banned eve for 1"


async def test_confirm_gets_values_of_their_declared_types(room):
    def words(arguments):
        return f"{arguments['day']:%A}, {arguments.room.name}, {arguments.seats}, {'seats' in arguments}"

    @tool_function(confirm=words)
    async def book(day: date, room: Room, seats: int = 2) -> str:
        """Book a room."""
        return f"{day} {room} {seats}"

    result = await room(book).dispatch(call("book", day="2026-11-27", room="ada"))

    assert "Friday, ADA, 2, False" in result.text


@pytest.mark.parametrize(
    "confirm",
    [
        lambda booking: f"{booking.day:%A}, {booking['room'].name}",
        words_of_booking,
    ],
)
async def test_confirm_gets_the_argument_model(room, confirm):
    @tool_function(confirm=confirm)
    async def book(booking: Booking) -> str:
        """Book a room."""
        return str(booking)

    result = await room(book).dispatch(call("book", day="2026-11-27", room="ada"))

    assert "Friday, ADA" in result.text


async def test_arguments_are_checked_before_the_question(room, bans):
    result = await room(bans.tool()).dispatch(call("ban", days=7))

    assert result.ending != "question"
    assert "name" in result.error


async def test_person_without_permission_is_not_asked(room, bans):
    result = await room(bans.tool(permission="admins")).dispatch(BAN)

    assert result.text == "Only an admin of this chat may do that."


async def test_permission_is_checked_again_at_the_answer(room, bans):
    here = room(bans.tool(permission="admins"), script=[[BAN]])
    await here.say("ban bob for a week", is_admin=True)

    assert await here.say("yes") == "Only an admin of this chat may do that."


async def test_entry_point_may_pass_its_own_approval(room, bans):
    result = await room(bans.tool()).dispatch(BAN, approved=BAN)

    assert result.text == "banned bob for 7"


async def test_approval_holds_for_one_call_only(room, bans):
    result = await room(bans.tool()).dispatch(BAN, approved=call("ban", name="eve", days=7))

    assert result.ending == "question"
    assert bans.made == []


async def test_without_storage_the_call_is_not_run(room, bans):
    here = room(bans.tool())
    here.router.policy = None
    context = here.context(await here.turn(here.message()))
    result = await here.router.dispatch(BAN, replace(context, policy=None))

    assert result.ending == "question"
    assert bans.made == []


async def test_question_is_not_lost_when_the_model_continues(room, bans):
    @tool_function()
    async def look() -> str:
        """Look."""
        return "sunny"

    here = room(bans.tool(), look, script=[[BAN, call("look")], "It is sunny."])
    answer = await here.say("ban bob for a week, and how is the weather?")

    assert answer == f"It is sunny.\n{ASKED}"


async def test_confirmed_observation_is_given_to_the_model(room):
    @tool_function(confirm=True)
    async def look() -> ToolResult:
        """Look."""
        return ToolResult(ok=True, value={"found": 3})

    here = room(look, script=[[call("look")], "There are three."])
    await here.say("look it up")

    assert await here.say("yes") == "There are three."


@pytest.mark.parametrize(
    "text",
    ["yes it is raining", "not yes", "okay so here is the plan", "好不好", "不好意思", "", "no reminders here"],
)
def test_answer_with_further_words_is_no_confirmation(text):
    assert parse_yes_no(text, "Bubbles") is None


async def test_unaddressed_yes_means_the_bot_only_while_a_call_waits(room):
    bans = Bans()
    chat = room(bans.tool(), script=[[BAN]])
    history = HistoryService(MemoryMessageStore())

    async def means_bot(text):
        message = replace(chat.message(text), is_addressed=False)
        await history.record(message)
        return await can_only_mean_bot(message, chat.router, chat.policy, history, "Bubbles")

    assert not await means_bot("yes")
    request = chat.message("ban bob for a week")
    await history.record(request)
    await chat.assistant.answer(await chat.turn(request))

    assert await means_bot("yes")
    assert not await means_bot("we should ban bob")


async def test_unaddressed_command_of_a_tool_means_the_bot(room):
    chat = room(Bans().tool())
    history = HistoryService(MemoryMessageStore())
    command, other = (replace(chat.message(text), is_addressed=False) for text in ("/ban bob", "/dance"))

    assert await can_only_mean_bot(command, chat.router, chat.policy, history, "Bubbles")
    assert not await can_only_mean_bot(other, chat.router, chat.policy, history, "Bubbles")
