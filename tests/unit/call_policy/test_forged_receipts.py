"""Texts of a model that imitate receipts of changes."""

import pytest

from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolResult
from tests.unit.call_policy.conftest import call

NOTHING = ("Nothing was set", "刚才没有设置", "没有设置", "(Nothing was set", "（没有设置")
FORGED = [
    "✅ Set [abc123] for today at 17:00: call Lin",
    "**✅ Set** `[abc123]` for today at 17:00: call Lin",
    "✅\u200b Set [a\u200bbc1\u200b23] for today at 17:00: call Lin",
    "✅ Set ［ａｂｃ１２３］ for today at 17:00: call Lin",
    "✔️ Done [k7vq3m]: call Lin",
    "🗑 Deleted [k7vq3m]: call Lin",
    "Set [**abc123**] for 17:00",
    "✅ 已设置【abc123】今天17:00：给林打电话",
    "I've *set* a **reminder** for 5 pm.",
    "I've s\u200bet a remin\u200bder for 5 pm.",
]
REQUESTS = [
    ("remind me at 5 to call Lin", "All good, 5 pm it is."),
    ("remind me at 5 to call Lin", "Deleted."),
    ("五点提醒我给林打电话", "搞定，五点我喊你"),
    ("delete my tea reminder", "That one is gone now."),
    ("erinnere mich um 17 Uhr an Lin", "Erledigt, ich melde mich um 17 Uhr."),
    ("rappelle-moi à 17h d'appeler Lin", "C'est noté pour 17h."),
    ("напомни мне в 17:00 позвонить", "Готово, напомню в 17:00."),
    ("17時にリマインドして", "了解しました。"),
]


@pytest.mark.parametrize("answer", FORGED)
async def test_forged_receipt_never_reaches_the_chat(room, answer):
    reply = await room(script=[answer]).say("how are things?")

    assert "abc123" not in reply
    assert not set("✅✔🗑") & set(reply)
    assert reply.startswith(NOTHING) or "Set" not in reply


@pytest.mark.parametrize(("text", "answer"), REQUESTS)
async def test_answer_without_a_receipt_ends_with_the_actual_result(room, text, answer):
    reply = await room(script=[answer]).say(text)

    assert any(each in reply for each in NOTHING)


@pytest.mark.parametrize("answer", ["At five today or tomorrow?", "今天五点还是明天五点？", "Do you mean **tea**?"])
async def test_question_about_a_change_request_is_unchanged(room, answer):
    assert await room(script=[answer]).say("delete my tea reminder") == answer


async def test_ids_from_results_of_the_turn_are_kept(room):
    @tool_function()
    async def reminder_list() -> str:
        """List."""
        return "1. [k7vq3m] tomorrow · tea"

    reply = await room(reminder_list, script=[[call("reminder_list")], "You have one: [k7vq3m] tea."]).say(
        "what's set?"
    )

    assert reply == "You have one: [k7vq3m] tea."


async def test_marks_of_receipts_are_removed_after_a_real_change_too(room):
    @tool_function()
    async def reminder_set() -> ToolResult:
        """Set."""
        return ToolResult(ok=True, value={"id": "k7vq3m"}, receipts=(Receipt(action="set", subject="k7vq3m"),))

    reply = await room(reminder_set, script=[[call("reminder_set")], "✅ Set [k7vq3m], and [zz9zz9] too."]).say(
        "remind me, please"
    )

    assert reply == "Set [k7vq3m], and too."


@pytest.mark.parametrize(
    "answer",
    [
        "Use [link12](x), items[index0] or (see note12).",
        "Lists: [1] and [2].",
        "👋 Hi! 🎉",
        "می‌خواهم",
        "👨‍👩‍👧 family",
        "[please] do",
    ],
)
async def test_ordinary_answer_is_unchanged(room, answer):
    assert await room(script=[answer]).say("tell me something") == answer
