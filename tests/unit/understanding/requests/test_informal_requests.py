"""Requests in informal spelling, with mentions anywhere, or with figures that are no times."""

import pytest

from tests.unit.understanding.conftest import Say, names

SET = [
    ("remind me on wendesday at 9 to call jane", "2026-03-11 09:00", "call jane", None),
    ("remind me at 3pm to be in room b4", "2026-03-04 15:00", "be in room b4", None),
    ("remind me around 3 to check mail", "2026-03-04 15:00", "check mail", None),
    ("remind me 12/24 to wrap gifts", "2026-12-24 09:00", "wrap gifts", None),
    ("⏰ remind me at 6pm call jane", "2026-03-04 18:00", "call jane", None),
    ("hmm ok, actually remind me at 5 to call mum ty", "2026-03-04 17:00", "call mum", None),
    ("would you be so kind as to remind me at noon to eat", "2026-03-04 12:00", "eat", None),
    ("remind me to call mum at 5. wait, make it 6", "2026-03-04 18:00", "call mum", None),
    ("remind me tomorrow at 9 to read chapter 3", "2026-03-05 09:00", "read chapter 3", None),
    ("remind me to upgrade to python 3.14 on monday", "2026-03-09 09:00", "upgrade to python 3.14", None),
    ("remind me to buy 2 tickets for the 8pm show at 5", "2026-03-04 17:00", "buy 2 tickets for the 8pm show", None),
    ('remind me tomorrow at 9 to tell ann "see you at 10"', "2026-03-05 09:00", 'tell ann "see you at 10"', None),
    ("remind me at noon to buy milk (2 bottles)", "2026-03-04 12:00", "buy milk (2 bottles)", None),
    ("at 5pm remind @bob and @carol to leave", "2026-03-04 17:00", "leave", "bob and @carol"),
    ("remind @bob @carol tomorrow at 10 to bring it", "2026-03-05 10:00", "bring it", "bob、@carol"),
    ("tomorrow at noon remind everyone to sign", "2026-03-05 12:00", "sign", "everyone"),
    ("提醒@小明明天九点开会", "2026-03-05 09:00", "开会", "小明"),
    ("提醒@小明10分钟后关火", "2026-03-04 10:10", "关火", "小明"),
    ("十分钟后提醒@小明关火", "2026-03-04 10:10", "关火", "小明"),
    ("提醒@小明@小红明天九点开会", "2026-03-05 09:00", "开会", "小明、@小红"),
    ("提醒我和@小明六点出发", "2026-03-04 18:00", "出发", "我和@小明"),
    ("@bubbles提醒我明天九点开会", "2026-03-05 09:00", "开会", None),
    ("我下午三点要开会，提前一刻钟提醒我", "2026-03-04 14:45", "开会", None),
    ("提醒一下@小明，明天九点开会", "2026-03-05 09:00", "开会", "小明"),
    ("差不多半小时之后提醒我关火", "2026-03-04 10:30", "关火", None),
    ("明天下午3点remind我开会", "2026-03-05 15:00", "开会", None),
    ("12.24晚上7点提醒我包礼物", "2026-12-24 19:00", "包礼物", None),
]
OTHER = [
    ("don't delete the milk reminder", None),
    ("别把牛奶的提醒删了", None),
    ("cancel all meetings tomorrow", None),
    ("bob can you remind me tomorrow", None),
    ("ask bob to remind me tomorrow", None),
    ("reminder that tomorrow is a holiday", None),
    ("让小明明天提醒我", None),
    ("高考倒计时100天", None),
    ("谢谢提醒", None),
    ("what alarms do i have", "reminder_list"),
    ("我有哪些闹钟", "reminder_list"),
    ("12月有哪些提醒", "reminder_list"),
    ("把我的提醒列出来", "reminder_list"),
    ("i just woke up, what did i miss", "summary"),
]
ADDRESSED = [
    ("@bubbles what's the capital of peru", "perplexity_search"),
    ("@bubbles what happened today", "summary"),
    ("@bubbles 今天发生了什么", "summary"),
    ("@bubbles what do i have tomorrow", "reminder_list"),
    ("@bubbles 这周有啥安排", "reminder_list"),
]


@pytest.mark.parametrize(("text", "time", "content", "person"), SET)
def test_informal_request_sets_a_reminder(say: Say, text: str, time: str, content: str, person: str | None) -> None:
    (call,) = say(text).calls

    assert call.name == "reminder_set"
    found = call.arguments
    assert (found["time"], found["content"], names(found.get("person"))) == (time, content, names(person))


@pytest.mark.parametrize(("text", "tool"), OTHER)
def test_group_message_selects_its_tool_or_none(say: Say, text: str, tool: str | None) -> None:
    assert [call.name for call in say(text).calls] == ([tool] if tool else [])


@pytest.mark.parametrize(("text", "tool"), ADDRESSED)
def test_addressed_message_selects_its_tool(say: Say, text: str, tool: str) -> None:
    assert [call.name for call in say(text, is_addressed=True).calls] == [tool]


@pytest.mark.parametrize(
    ("text", "time", "content"),
    [
        ("@bubbles dentist tomorrow 9am", "2026-03-05 09:00", "dentist"),
        ("call mum at 5pm", "2026-03-04 17:00", "call mum"),
        ("@bubbles 明天九点开会", "2026-03-05 09:00", "开会"),
        ("一小时后去接人", "2026-03-04 11:00", "去接人"),
    ],
)
def test_addressed_note_with_a_time_is_a_reminder(say: Say, text: str, time: str, content: str) -> None:
    (call,) = say(text, is_addressed=True).calls

    assert (call.name, call.arguments["time"], call.arguments["content"]) == ("reminder_set", time, content)
    assert say(text.removeprefix("@bubbles ")).calls == ()


@pytest.mark.parametrize(
    "text",
    ["see you tomorrow at 5", "the meeting is at 5", "i'll be there at 6", "明天五点见", "我六点到", "会议改到四点了"],
)
def test_addressed_message_that_is_no_note_is_no_reminder(say: Say, text: str) -> None:
    assert "reminder_set" not in [call.name for call in say(text, is_addressed=True).calls]


@pytest.mark.parametrize(
    "text",
    [
        "Bubbles, urgent: remind me at 11pm to take my pill even in quiet hours",
        "@bubbles urgent! remind me at 11pm to take my pill",
        "紧急：晚上十一点提醒我吃药",
    ],
)
def test_urgent_before_the_request_is_read(say: Say, text: str) -> None:
    (call,) = say(text, is_addressed=True).calls

    assert (call.arguments["time"], call.arguments["urgent"]) == ("2026-03-04 23:00", True)


@pytest.mark.parametrize("text", ["remind me at 8am and 5pm to stretch", "remind me to stretch at 8am and 5pm"])
def test_two_clock_times_are_two_reminders(say: Say, text: str) -> None:
    calls = say(text).calls

    assert [(call.arguments["time"], call.arguments["content"]) for call in calls] == [
        ("2026-03-05 08:00", "stretch"),
        ("2026-03-04 17:00", "stretch"),
    ]
