"""Requests in several styles: dictated, formal, in Cantonese, in mixed languages."""

import pytest

from function_calls.tools.calls import ToolSpec
from services.time_expressions import TimeReader
from tests.unit.understanding.conftest import NOW, TOOLS, Say, names

PROPERTIES: dict[str, object] = {name: {} for name in ("reminder_id", "time", "content", "weekday", "rrule", "urgent")}
WITH_CHANGES = (
    *TOOLS,
    *(
        ToolSpec(name=name, description="", parameters={"properties": PROPERTIES})
        for name in ("reminder_update", "reminder_snooze", "reminder_state", "undo")
    ),
)
SET = [
    ("um remind me uh tomorrow at like 5 to um call the dentist", "2026-03-05 17:00", "call the dentist"),
    ("set an alarm would you please for seven in the morning", "2026-03-05 07:00", "Reminder"),
    ("i'd like to have a reminder set for my appointment on the 12th at 2:30 pm", "2026-03-12 14:30", "my appointment"),
    ("in 20 remind me to check the oven", "2026-03-04 10:20", "check the oven"),
    ("remind me in 1.5 hours to turn the roast", "2026-03-04 11:30", "turn the roast"),
    ("remind me in 1 hour 20 to turn the roast", "2026-03-04 11:20", "turn the roast"),
    ("remind me to call bob two days from now", "2026-03-06 10:00", "call bob"),
    ("remind me at four o'clock to let the cat in", "2026-03-04 16:00", "let the cat in"),
    ("remind me later at 3 to call", "2026-03-04 15:00", "call"),
    ("remind me monday first thing to pack", "2026-03-09 09:00", "pack"),
    ("remind me at seven oh five to call", "2026-03-04 19:05", "call"),
    ("remind me at around 5 to call", "2026-03-04 17:00", "call"),
    ("remind me at 21:15: lock the shed", "2026-03-04 21:15", "lock the shed"),
    ("remind me 4pm-ish to call", "2026-03-04 16:00", "call"),
    ("remind me late tonight to call", "2026-03-04 22:00", "call"),
    ("remind me mid january to renew it", "2027-01-15 09:00", "renew it"),
    ("remind me no later than friday noon to renew it", "2026-03-06 12:00", "renew it"),
    ("remind me tmrw half five gym", "2026-03-05 17:30", "gym"),
    ("remind me on 21 march to call the vet", "2026-03-21 09:00", "call the vet"),
    ("remind me by close of business friday to send the deck", "2026-03-06 17:00", "send the deck"),
    ("remind me by eod tomorrow to send the deck", "2026-03-05 23:59", "send the deck"),
    ("remind me at the end of the quarter to review budgets", "2026-03-31 09:00", "review budgets"),
    ("remind me in q3 to review budgets", "2026-07-01 09:00", "review budgets"),
    ("remind me the day before my exam on friday", "2026-03-05 09:00", "my exam"),
    ("remind me tomorrow about the daily standup", "2026-03-05 09:00", "the daily standup"),
    ("remind me to prepare the weekly report on friday at 3", "2026-03-06 15:00", "prepare the weekly report"),
    ("聽日朝早九點提醒我交功課", "2026-03-05 09:00", "交功課"),
    ("今晚八點提我食藥", "2026-03-04 20:00", "食藥"),
    ("嗯那个明天下午三点吧提醒我一下开会", "2026-03-05 15:00", "开会"),
    ("不好意思打扰一下能不能请您在下周二下午两点半的时候提醒我去医院", "2026-03-10 14:30", "去医院"),
    ("烦请于明日上午九时提醒本人参加会议", "2026-03-05 09:00", "参加会议"),
    ("明天早上⏰提醒我吃药", "2026-03-05 09:00", "吃药"),
    ("麻烦你提醒一下周五下午三点开会", "2026-03-06 15:00", "开会"),
    ("下个月的今天提醒我还书", "2026-04-04 10:00", "还书"),
    ("麻烦提醒我一下哈，明天下午两点半去接孩子", "2026-03-05 14:30", "去接孩子"),
    ("remind me like tomorrow at 5 to call", "2026-03-05 17:00", "call"),
    ("remind me about the 9 o'clock news at 8:55", "2026-03-04 20:55", "the 9 o'clock news"),
    ("set a reminder for tomorrow at nine so i don't forget to call gran", "2026-03-05 09:00", "call gran"),
    ("remind me at noonish to eat", "2026-03-04 12:00", "eat"),
    ("remind me 2day at 4 to call", "2026-03-04 16:00", "call"),
    ("remind me tomorrow lunchtime to call", "2026-03-05 12:00", "call"),
    ("remind me tomorrow to call 911", "2026-03-05 09:00", "call 911"),
    ("remind me tomorrow about monday's meeting", "2026-03-05 09:00", "monday's meeting"),
    ("remind me tomorrow that friday is a holiday", "2026-03-05 09:00", "friday is a holiday"),
    ("remind me the morning after tomorrow to call", "2026-03-06 09:00", "call"),
    ("remind me half hour to check", "2026-03-04 10:30", "check"),
    ("remind me half 5 to leave", "2026-03-04 17:30", "leave"),
    ("明天提醒我周一开会的事", "2026-03-05 09:00", "周一开会"),
    ("晚上七点半提醒我倒垃圾别忘了", "2026-03-04 19:30", "倒垃圾"),
    ("今晚一点提醒我看一下", "2026-03-05 01:00", "看一下"),
    ("請於明天上午九點提醒我開會", "2026-03-05 09:00", "開會"),
    ("半個鐘後提我熄火", "2026-03-04 10:30", "熄火"),
    ("周五下班前提醒我交周报", "2026-03-06 17:00", "交周报"),
    ("六点喊我一声买菜", "2026-03-04 18:00", "买菜"),
    ("明天下午那个三点提醒我接孩子", "2026-03-05 15:00", "接孩子"),
    ("1530提醒我开会", "2026-03-04 15:30", "开会"),
    ("remind me tomorrow at bedtime to lock up", "2026-03-05 22:00", "lock up"),
    ("remind me tomorrow at 9 to read before bed", "2026-03-05 09:00", "read before bed"),
    ("明天临睡前提醒我关窗", "2026-03-05 22:00", "关窗"),
    ("明天九点提醒我买睡前故事书", "2026-03-05 09:00", "买睡前故事书"),
    ("remind me tomorrow morning 9 call gran", "2026-03-05 09:00", "call gran"),
    ("明天下午3点remind me to call 小王", "2026-03-05 15:00", "call 小王"),
    ("明天下午三点开会提前一刻钟叫我", "2026-03-05 14:45", "开会"),
    ("明天下午两点的会提前十分钟提醒我带材料", "2026-03-05 13:50", "带材料"),
    ("提醒我明天九点签到", "2026-03-05 09:00", "签到"),
    ("gimme a reminder at 5 to pack", "2026-03-04 17:00", "pack"),
    ("i keep forgetting to pack, remind me at 5, k?", "2026-03-04 17:00", "pack"),
    ("五点我得收拾行李，麻烦提醒我", "2026-03-04 17:00", "收拾行李"),
    ("would appreciate it if you'd remind me to pack at 5", "2026-03-04 17:00", "pack"),
    ("5pm: remind me to pack", "2026-03-04 17:00", "pack"),
    ("so yeah can you remind me to pack at 5", "2026-03-04 17:00", "pack"),
    ("have bubbles remind me to pack at 5", "2026-03-04 17:00", "pack"),
    ("remind me on my way home at 6 to buy stamps", "2026-03-04 18:00", "buy stamps"),
    ("帮我设个五点把鸡拿出来解冻的提醒", "2026-03-04 17:00", "把鸡拿出来解冻"),
    ("设置一个提醒，时间今晚九点，内容是收拾行李", "2026-03-04 21:00", "收拾行李"),
    ("五点提醒我收拾行李，辛苦啦", "2026-03-04 17:00", "收拾行李"),
    ("remind metomorrow at 9 to pack", "2026-03-05 09:00", "pack"),
    ("when it's 5pm remind me to pack", "2026-03-04 17:00", "pack"),
    ("remind me once it's 5pm to pack", "2026-03-04 17:00", "pack"),
    ("remind me 10 minutes before dinner to wash up", "2026-03-04 17:50", "wash up"),
    ("remind me 15 min before the end of my shift at 7pm to hand over", "2026-03-04 18:45", "hand over"),
    ("remind me tomorrow only at 5pm to pack", "2026-03-05 17:00", "pack"),
    ("remind me just this once on friday at 5pm to pack", "2026-03-06 17:00", "pack"),
    ("remind me at 5pm to pack please and thank you", "2026-03-04 17:00", "pack"),
    ("set a reminder for 3, scratch that, 4pm: pack", "2026-03-04 16:00", "pack"),
    ("remind to me at 5pm to pack", "2026-03-04 17:00", "pack"),
    ("set three reminders: one at 5pm to pack", "2026-03-04 17:00", "pack"),
    ("remind me at 5pm to email the clinic again", "2026-03-04 17:00", "email the clinic again"),
    ("remind me once at 10pm to pack", "2026-03-04 22:00", "pack"),
    ("remind me at 7 oh no make that 8 to pack", "2026-03-04 20:00", "pack"),
    ("at noon tomorrow i have to be reminded of my physio", "2026-03-05 12:00", "my physio"),
    ("remind me at 4pm to leave, the doctor closes at 5", "2026-03-04 16:00", "leave, the doctor closes at 5"),
    ("at 7 tonight i need a reminder for the bins", "2026-03-04 19:00", "the bins"),
    ("remind me when it's half four to pack", "2026-03-04 16:30", "pack"),
    ("remind me the night before my exam on the 20th to pack", "2026-03-19 21:00", "pack"),
    ("the exam is on the 20th at 9, remind me one day before 20:00", "2026-03-19 20:00", "the exam"),
    ("20号上午九点考试，提前一天20:00提醒我", "2026-03-19 20:00", "考试"),
    ("remind me at 5 to pack. wait, make it 6.", "2026-03-04 18:00", "pack"),
    ("二十分钟提醒我关火", "2026-03-04 10:20", "关火"),
    ("any chance you could remind me to pack at 5?", "2026-03-04 17:00", "pack"),
    ("do you think you could remind me to pack at 5", "2026-03-04 17:00", "pack"),
    ("remind me to pack at 5, thanks a ton", "2026-03-04 17:00", "pack"),
    ("i mustn't forget to pack at 5pm, remind me", "2026-03-04 17:00", "pack"),
    ("gotta pack at 5pm, remind me", "2026-03-04 17:00", "pack"),
    ("你能不能在五点提醒我收拾行李", "2026-03-04 17:00", "收拾行李"),
    ("不知道能不能麻烦你五点提醒我收拾行李", "2026-03-04 17:00", "收拾行李"),
    ("想让你五点提醒我收拾行李", "2026-03-04 17:00", "收拾行李"),
    ("五点给我提个醒，收拾行李", "2026-03-04 17:00", "收拾行李"),
    ("麻烦你12/31提醒我收拾行李", "2026-12-31 09:00", "收拾行李"),
    ("五点提醒窝收拾行李", "2026-03-04 17:00", "收拾行李"),
    ("提醒我八点后别吃东西", "2026-03-04 20:00", "别吃东西"),
    ("后儿下午仨点提醒我开会", "2026-03-06 15:00", "开会"),
]
REFERENCES = [
    ("make my parrot reminder 9am instead of 8", "reminder_update", "parrot"),
    ("take the parrot reminder off my list", "reminder_delete", "parrot"),
    ("i don't want the parrot reminder any more", "reminder_delete", "parrot"),
    ("i don't need the parrot reminder anymore", "reminder_delete", "parrot"),
    ("set the rent reminder to the 2nd instead of the 1st", "reminder_update", "rent"),
    ("i want to delete reminder 4", "reminder_delete", "4"),
    ("change the time of the gym reminder to 7", "reminder_update", "gym"),
    ("第一个提醒提前五分钟", "reminder_update", "1"),
    ("刪咗第二個提醒", "reminder_delete", "2"),
    ("no more water reminders", "reminder_delete", "water"),
]
PEOPLE = [
    ("晚上六点提醒我老公遛狗", "我老公"),
    ("remind sam, kim and me on friday at 5 to bring cups", "sam, kim and me"),
    ("明天下午三点提醒小王和小李交方案", "小王、小李"),
    ("提醒我和老婆晚上八点看电影", "我和老婆"),
    ("提醒爸妈明天吃药", "爸妈"),
    ("明天10点提醒@小明合同的事", "小明"),
]
NUDGES = [
    "ping me at 5 to pack",
    "i lose track of time, so at 5 tell me to pack",
    "buzz me at 5 so i pack",
    "holler at me at 5 to pack",
    "tap me at 5 to pack",
]
TALK = [
    "your photos from monday remind me of spain",
    "reminder to everyone: submit by 5pm",
    "push everything back an hour",
    "航班全部推迟一小时",
    "全部推迟一小时",
    "no more meetings tomorrow",
    "we meet mon/wed/fri 7am",
    "会改六点了",
]
LEFT_ALONE = [
    "don't pause my reminders",
    "don't delete it",
    "不要取消会议的提醒",
    "别删那个",
    "先别暂停",
    "please don't cancel anything",
    "do not summarize this",
    "别推迟",
    "不用提醒",
    "提醒他明天九点开会",
    "618提醒我抢购",
    "友情提示五点前交",
]


@pytest.mark.parametrize(("text", "time", "content"), SET)
def test_request_is_read_in_every_style(say: Say, text: str, time: str, content: str) -> None:
    (call,) = say(text, language="en" if text.isascii() else "zh").calls

    assert (call.name, call.arguments["time"], call.arguments["content"]) == ("reminder_set", time, content)


@pytest.mark.parametrize(("text", "tool", "reference"), REFERENCES)
def test_reference_to_a_reminder_is_extracted(say: Say, text: str, tool: str, reference: str) -> None:
    (call,) = say(text, tools=WITH_CHANGES).calls

    assert (call.name, call.arguments["reminder_id"]) == (tool, reference)


@pytest.mark.parametrize(
    "text", ["remind me every day at 9:15am and 5:45pm to clock out", "每天早上九点一刻和下午五点三刻提醒我打卡"]
)
def test_daily_clock_times_with_different_minutes_are_several_reminders(say: Say, text: str) -> None:
    calls = say(text).calls

    assert [(call.arguments["type"], call.arguments["time"]) for call in calls] == [
        ("daily", "09:15"),
        ("daily", "17:45"),
    ]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("remind me on tuesday and thursday at 5pm to train", ["2026-03-10 17:00", "2026-03-05 17:00"]),
        ("remind me tomorrow and friday at 9 to stretch", ["2026-03-05 09:00", "2026-03-06 09:00"]),
    ],
)
def test_several_days_share_one_clock_time(say: Say, text: str, times: list[str]) -> None:
    assert [call.arguments["time"] for call in say(text).calls] == times


@pytest.mark.parametrize(("text", "person"), PEOPLE)
def test_several_people_are_named_without_mentions(say: Say, text: str, person: str) -> None:
    (call,) = say(text).calls

    assert names(call.arguments["person"]) == names(person)


@pytest.mark.parametrize("text", TALK)
def test_message_to_others_is_no_request(say: Say, text: str) -> None:
    heard = say(text, tools=WITH_CHANGES)

    assert (heard.calls, heard.answer) == ((), "")


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_negated_request_is_not_done(say: Say, text: str) -> None:
    assert say(text, is_addressed=True, tools=WITH_CHANGES).calls == ()


@pytest.mark.parametrize("text", ["明天九点提醒我开会，不紧急"])
def test_not_urgent_is_not_read_as_urgent(say: Say, text: str) -> None:
    tools = (ToolSpec(name="reminder_set", description="", parameters={"properties": PROPERTIES}),)
    (call,) = say(text, tools=tools).calls

    assert call.arguments["urgent"] is False
    assert call.arguments["content"] in {"call mum", "开会"}


@pytest.mark.parametrize("text", ["snooze for 5", "snooze 5", "@bubbles snooze it for 5"])
def test_a_bare_figure_of_a_snooze_is_minutes(say: Say, text: str) -> None:
    (call,) = say(text, is_addressed=True, tools=WITH_CHANGES).calls

    assert (call.name, call.arguments["time"]) == ("reminder_snooze", "5 minutes")


@pytest.mark.parametrize("text", ["饭后提醒我吃药", "整点提醒我喝水", "remind me on the hour to drink"])
def test_time_without_a_clock_reading_needs_a_question(say: Say, text: str) -> None:
    heard = say(text, language="en" if text.isascii() else "zh")

    assert heard.calls == ()
    assert heard.answer


@pytest.mark.parametrize("text", ["every 10 seconds", "每10秒"])
def test_recurrence_below_a_minute_is_parsed(text: str) -> None:
    best = TimeReader().parse(text, NOW).best

    assert best is not None
    assert best.rrule == "FREQ=SECONDLY;INTERVAL=10"


@pytest.mark.parametrize("text", NUDGES)
def test_synonym_of_remind_counts_if_the_bot_is_addressed(say: Say, text: str) -> None:
    (call,) = say(text, is_addressed=True).calls

    assert call.arguments["time"] == "2026-03-04 17:00"
    assert call.arguments["content"] in {"pack", "收拾行李"}
    assert say(text).calls == ()
