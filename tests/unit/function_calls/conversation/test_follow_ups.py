"""Example sentences of a tool that follow up on its last call, without a model."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from bot.testing.models import ScriptedInterpreter
from bot.testing.turns import NOW, make_message, make_turn
from function_calls.conversation.follow_ups import FollowUpInterpreter
from function_calls.registry import Registry, tool_function
from function_calls.tools.calls import ReplyScope, ToolCall
from function_calls.tools.errors import SignatureInvalid
from function_calls.understanding.interpreter import OfflineInterpreter
from services.kernel.chat import Person
from services.kernel.state import MemoryStateStore


@tool_function(
    returns="reply",
    examples=("weather in {city} in {unit}", "weather in {city}", "{city}的天气"),
    conversation_examples=("and in {city}", "in {unit} please", "again", "那{city}呢"),
)
async def weather(city: str, unit: str = "celsius") -> str:
    """Tell the weather."""
    return f"{city} in {unit}"


@tool_function(returns="reply", examples=("throw the dice",))
async def dice() -> str:
    """Throw the dice."""
    return "four"


def specs():
    registry = Registry()
    registry.register([weather, dice])
    return registry.specs


class Room:
    """A private chat with an interpreter, by default the rules."""

    def __init__(self, inner=None):
        self.store = MemoryStateStore(FixedClock(NOW))
        self.interpreter = FollowUpInterpreter(inner or OfflineInterpreter(), self.store)
        self.number = 0

    async def say(self, text, *, sender=None, later=timedelta(), language="en", scope=None, **fields):
        self.number += 1
        message = replace(make_message(text), id=f"m{self.number}", is_private=True, **fields)
        message = message if sender is None else replace(message, sender=Person(id=sender, name=sender))
        turn = make_turn(message, tools=specs(), language=language)
        turn = replace(turn, now=turn.now + later, scope=scope or ReplyScope())
        return [(call.name, dict(call.arguments)) for call in (await self.interpreter.interpret(turn)).calls]


@pytest.fixture
def room():
    return Room()


async def test_follow_up_repeats_the_last_call_with_a_changed_argument(room):
    said = [
        await room.say("weather in Rome in kelvin"),
        await room.say("and in Paris?"),
        await room.say("in celsius please"),
        await room.say("again"),
    ]

    assert [arguments for ((_, arguments),) in said] == [
        {"city": "Rome", "unit": "kelvin"},
        {"city": "Paris", "unit": "kelvin"},
        {"city": "Paris", "unit": "celsius"},
        {"city": "Paris", "unit": "celsius"},
    ]


async def test_follow_up_refers_to_a_call_before_a_restart(room):
    await room.say("weather in Rome in kelvin")
    room.interpreter = FollowUpInterpreter(OfflineInterpreter(), room.store)

    assert await room.say("and in Paris?") == [("weather", {"city": "Paris", "unit": "kelvin"})]


async def test_chinese_follow_up_repeats_the_last_call(room):
    await room.say("北京的天气", language="zh")

    assert await room.say("那上海呢？", language="zh") == [("weather", {"city": "上海"})]


@pytest.mark.parametrize(
    "change",
    [{"sender": "bob"}, {"later": timedelta(minutes=11)}, {"scope": ReplyScope(is_everything=False)}],
    ids=["another person", "much later", "after somebody else has written"],
)
async def test_sentence_of_another_person_or_later_is_no_follow_up(room, change):
    await room.say("weather in Rome")

    assert await room.say("and in Paris", **change) == []


async def test_call_of_another_tool_ends_the_follow_ups(room):
    await room.say("weather in Rome")
    await room.say("throw the dice")

    assert await room.say("and in Paris") == []


async def test_other_messages_reach_the_other_interpreter():
    inner = ScriptedInterpreter([[ToolCall(id="1", name="weather", arguments={"city": "Rome"})], "words"])
    room = Room(inner)
    await room.say("anything")

    assert await room.say("a whole new subject") == []
    assert [turn.message.text for turn in inner.turns] == ["anything", "a whole new subject"]


def test_slot_that_is_no_argument_is_refused():
    @tool_function(conversation_examples=("and in {town}",))
    async def tell(city: str) -> str:
        """Tell it."""
        return city

    with pytest.raises(SignatureInvalid, match=r"\{town\}"):
        Registry().register(tell)
