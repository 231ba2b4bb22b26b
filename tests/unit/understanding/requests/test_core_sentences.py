"""Sentences of the README and the first minute, in English and Chinese."""

import pytest

from tests.unit.understanding.conftest import Say

REMINDERS = [
    ("remind me in 10 seconds to stretch", {"type": "once", "time": "2026-03-04 10:00:10", "content": "stretch"}),
    ("remind me at 5pm to call mum", {"type": "once", "time": "2026-03-04 17:00", "content": "call mum"}),
    ("remind me tomorrow at 8:30 to leave", {"type": "once", "time": "2026-03-05 08:30", "content": "leave"}),
    ("remind me next Friday at 3pm to report", {"type": "once", "time": "2026-03-13 15:00", "content": "report"}),
    ("remind me on 2027-01-05 at 9:00 to pay", {"type": "once", "time": "2027-01-05 09:00", "content": "pay"}),
    ("remind me every day at 7am to run", {"type": "daily", "time": "07:00", "content": "run"}),
    ("remind me every Monday at 9 to plan", {"type": "weekly", "time": "09:00", "weekday": 0, "content": "plan"}),
    ("10秒后提醒我喝水", {"type": "once", "time": "2026-03-04 10:00:10", "content": "喝水"}),
    ("下午五点提醒我开会", {"type": "once", "time": "2026-03-04 17:00", "content": "开会"}),
    ("明天早上八点半提醒我带伞", {"type": "once", "time": "2026-03-05 08:30", "content": "带伞"}),
    ("下周五下午三点提醒我交报告", {"type": "once", "time": "2026-03-13 15:00", "content": "交报告"}),
    ("1月5日上午九点提醒我付款", {"type": "once", "time": "2027-01-05 09:00", "content": "付款"}),
    ("每天早上七点提醒我跑步", {"type": "daily", "time": "07:00", "content": "跑步"}),
    ("每周一九点提醒我开例会", {"type": "weekly", "time": "09:00", "weekday": 0, "content": "开例会"}),
    ("每周一早上九点提醒我交周报", {"type": "weekly", "time": "09:00", "weekday": 0, "content": "交周报"}),
]
COMMANDS = [
    ("list my reminders", "reminder_list", {"whose": "mine"}),
    ("show my reminders", "reminder_list", {"whose": "mine"}),
    ("我有哪些提醒", "reminder_list", {"whose": "mine"}),
    ("delete reminder 3", "reminder_delete", {"reminder_id": "3"}),
    ("delete the milk one", "reminder_delete", {"reminder_id": "milk"}),
    ("cancel all", "reminder_delete", {"reminder_id": "all"}),
    ("删除第二个提醒", "reminder_delete", {"reminder_id": "2"}),
    ("取消喝水的提醒", "reminder_delete", {"reminder_id": "喝水"}),
    ("取消所有提醒", "reminder_delete", {"reminder_id": "all"}),
    ("summarize the chat", "summary", {}),
    ("总结一下", "summary", {}),
]


@pytest.mark.parametrize(("text", "arguments"), REMINDERS)
def test_reminder_is_requested_in_one_sentence(say: Say, text: str, arguments: dict[str, object]) -> None:
    (call,) = say(text).calls

    assert call.name == "reminder_set"
    assert call.arguments == arguments


@pytest.mark.parametrize(("text", "tool", "arguments"), COMMANDS)
def test_command_selects_its_tool(say: Say, text: str, tool: str, arguments: dict[str, object]) -> None:
    (call,) = say(text, known=("buy milk", "喝水")).calls

    assert (call.name, call.arguments) == (tool, arguments)
