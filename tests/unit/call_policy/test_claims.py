"""Claims of a model about changes, which need a receipt."""

import pytest

from bot.testing.models import ScriptedInterpreter
from function_calls.conversation.agents.agent import Agent
from function_calls.conversation.agents.agent_tool import AgentTool
from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolResult
from function_calls.understanding import examples
from function_calls.understanding.interpreter import OfflineInterpreter
from services.kernel.errors import ToolFailed
from tests.unit.call_policy.conftest import call

NOTHING = {
    "en": "Nothing was set, changed or deleted just now.",
    "zh": "刚才没有设置、修改或删除任何东西。",
}

CLAIMS = [
    "I've set a reminder for 5 pm.",
    "I have set up your reminder for tomorrow at 9:00!",
    "Sure! I’ve just created a daily reminder to drink water.",
    "Okay, I deleted the reminder about the dentist.",
    "Done! Your reminder has been cancelled.",
    "Reminder set for 17:00: call Ann.",
    "Reminder deleted.",
    "All your reminders have been removed.",
    "The reminder is now set for 8:30.",
    "No problem, I'll remind you at 5pm to call Ann.",
    "I will remind @bob tomorrow at nine.",
    "Got it. You'll be reminded at six.",
    "I've moved the stand-up reminder to 8:30.",
    "Sure, set a reminder for 5pm.",
    "已为你设置明天早上八点半的提醒：交周报。",
    "好的，我已经帮你把开会的提醒删掉了。",
    "好的，提醒已设置。",
    "提醒已经取消。",
    "已删除提醒 k7vq3m。",
    "好的，我会在明天早上九点提醒你开会。",
    "没问题，到时候提醒你。",
    "提醒设置成功！",
    "我帮你设好了下午三点的提醒。",
    "已經為您設定明天上午十點的提醒。",
    "闹钟已经改到七点半。",
]

TALK = [
    "I can set a reminder for you; when should it be?",
    "Would you like me to set a reminder for 5 pm?",
    "If you tell me when, I'll remind you.",
    "I haven't set a reminder yet.",
    "I couldn't delete the reminder, because there is none.",
    "Just say “delete reminder 1” and it will go.",
    "I've set out the arguments for both sides below.",
    "The alarm was invented by Levi Hutchins in 1787.",
    "Reminders are useful when life is busy.",
    "A reminder set by somebody else can only be deleted by that person.",
    "May I remind you that the meeting is at five?",
    "I'll remind you that I am only a program.",
    "Ann deleted the file and created a new branch.",
    "You set that reminder yesterday.",
    "The table has been updated in the newest edition.",
    "There are three reminders here, the first is at 9:00.",
    "Never mind!",
    "I can do this for you:\n• set a reminder for a clock time\n• search the web",
    "Set an alarm for 7 am if you want to be sure.",
    "要我帮你设置一个提醒吗？",
    "你可以说“删除第1个提醒”。",
    "如果你告诉我时间，我会提醒你。",
    "我还没有设置提醒。",
    "没能删除提醒：这里没有提醒。",
    "会议已经取消，大家可以休息了。",
    "请提醒他把文件删除。",
    "这家店已经搬到南京路了。",
    "提醒功能很实用。",
    "你昨天已经设置了这个提醒。",
    "需要我设置提醒的话，请告诉我时间。",
    "她提醒我别忘了带伞。",
    "已完成的任务有三个。",
]


@pytest.mark.parametrize("claim", CLAIMS)
async def test_a_claim_without_a_receipt_is_replaced(room, claim):
    answer = await room(script=[claim]).say("how are things, please?" if claim.isascii() else "最近怎么样？")

    assert answer.startswith(tuple(NOTHING.values()))


@pytest.mark.parametrize("talk", TALK)
async def test_ordinary_talk_is_unchanged(room, talk):
    assert await room(script=[talk]).say("tell me something") == talk


@pytest.mark.parametrize("claim", CLAIMS[:3])
async def test_claim_with_a_receipt_is_kept(room, claim):
    @tool_function()
    async def reminder_set() -> ToolResult:
        """Set."""
        return ToolResult(ok=True, value={"id": "k7"}, receipts=(Receipt(action="set", subject="k7"),))

    assert await room(reminder_set, script=[[call("reminder_set")], claim]).say("remind me, please") == claim


async def test_failure_is_reported_instead_of_the_claim(room):
    @tool_function()
    async def reminder_set() -> str:
        """Set."""
        raise ToolFailed("the book is closed")

    here = room(reminder_set, script=[[call("reminder_set")], "I've set a reminder for 5 pm."])

    assert await here.say("remind me, please") == "That did not work (reminder_set): the book is closed"


async def test_claimed_request_that_the_rules_understand_is_carried_out(room):
    made = []

    @tool_function(returns="reply")
    async def reminder_set(type: str, time: str, content: str) -> str:  # noqa: A002 - the specification's name
        """Set."""
        made.append((type, time, content))
        return "really set"

    answer = await room(reminder_set, script=["I've set a reminder for 5 pm."]).say(
        "remind me tomorrow at 17:00 to call Ann"
    )

    assert answer == "really set"
    assert made == [("once", "2026-11-21 17:00", "call Ann")]


@pytest.mark.parametrize(("text", "answer"), [("delete my tea reminder", "Done."), ("删除喝茶的提醒", "搞定了！")])
async def test_a_bare_done_to_a_request_for_a_change_is_a_claim(room, text, answer):
    reply = await room(script=[answer]).say(text)

    assert reply.startswith(tuple(NOTHING.values()))


@pytest.mark.parametrize(("text", "answer"), [("write a haiku and say done", "Done."), ("作业写完了没", "已完成。")])
async def test_a_bare_done_to_anything_else_is_talk(room, text, answer):
    assert await room(script=[answer]).say(text) == answer


async def test_text_of_a_tool_is_never_a_claim(room):
    @tool_function(returns="reply")
    async def reminder_list() -> str:
        """List."""
        return "1. I've set a reminder for the cat · ann"

    answer = await room(reminder_list, script=[[call("reminder_list")]]).say("list them")

    assert answer == "1. I've set a reminder for the cat · ann"


@tool_function()
async def wipe() -> str:
    """Wipe the disk, without saying that this changes something."""
    return "wiped"


async def test_claim_after_a_possibly_changing_tool_is_replaced_by_its_calls(room):
    answer = await room(wipe, script=[[call("wipe")], "I've deleted the reminder."]).say("clean up, please")

    assert answer.startswith("I cannot confirm that anything was changed. What ran just now: wipe.")


@pytest.mark.parametrize("agent_says", ["I've deleted the reminder.", "The disk is empty."])
async def test_a_claim_after_an_agents_tool_names_that_tool_too(room, agent_says):
    agent = Agent(name="cleaner", model=ScriptedInterpreter([[call("wipe")], agent_says]), tools=[wipe])
    here = room(AgentTool(agent), script=[[call("cleaner", request="wipe it")], "I've deleted the reminder."])
    answer = await here.say("clean up, please")

    assert answer.startswith("I cannot confirm that anything was changed. What ran just now: cleaner, wipe.")


async def test_claim_of_an_agent_is_replaced_by_its_calls(room):
    agent = Agent(name="cleaner", model=ScriptedInterpreter([[call("wipe")], "Reminder deleted."]), tools=[wipe])
    result = await room(AgentTool(agent)).dispatch(call("cleaner", request="wipe it"))

    assert result.text.startswith("I cannot confirm that anything was changed. What ran just now: wipe.")


async def test_calls_before_a_failure_are_reported_with_it(room):
    @tool_function()
    async def reminder_set() -> str:
        """Set."""
        raise ToolFailed("the book is closed")

    script = [[call("wipe"), call("reminder_set")], "I've set a reminder for 5 pm."]
    answer = await room(wipe, reminder_set, script=script).say("remind me, please")

    assert answer.startswith("That did not work (reminder_set): the book is closed\nI cannot confirm")


async def test_first_answer_compiles_no_examples_after_the_warm_up(room):
    @tool_function(examples=["my time zone is {zone}"])
    async def time_zone(zone: str) -> str:
        """Store the zone."""
        return zone

    @tool_function(examples=["paint it {colour}"])
    async def paint(colour: str) -> str:
        """Paint."""
        return colour

    examples._compile_templates.cache_clear()
    talker = room(time_zone, paint, script=["It is blue."])
    OfflineInterpreter.warm_up("en", talker.router.registry.specs)
    compiled = examples._compile_templates.cache_info().misses

    assert await talker.say("what colour is the sky?") == "It is blue."
    assert examples._compile_templates.cache_info().misses == compiled == 2
