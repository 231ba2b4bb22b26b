"""Changes of the time or text of existing reminders, and references to them."""

import pytest

from function_calls.tools.calls import ToolSpec
from services.reminders.lookup.several import several_in
from tests.unit.understanding.conftest import TOOLS, Say

PROPERTIES = {
    name: {} for name in ("reminder_id", "type", "time", "content", "added", "weekday", "rrule", "person", "days")
}
WITH_CHANGES = (
    *TOOLS,
    ToolSpec(name="reminder_update", description="", parameters={"properties": PROPERTIES}),
    ToolSpec(name="reminder_snooze", description="", parameters={"properties": PROPERTIES}),
)
TIMES = [
    ("move my dentist reminder to next tuesday at 10", "dentist", "2026-03-10 10:00"),
    ("change the standup reminder to 9:30", "standup", "at 9:30"),
    ("move reminder 2 from 5pm to 6pm", "2", "18:00"),
    ("update the gym reminder: 7am instead of 6am", "gym", "07:00"),
    ("reschedule the reminder to buy milk to friday at noon", "buy milk", "2026-03-06 12:00"),
    ("change my 5pm reminder to 6pm", "5pm", "18:00"),
    ("postpone reminder 2 till friday", "2", "2026-03-06"),
    ("把第二个提醒改到周五上午十点", "2", "2026-03-06 10:00"),
    ("提醒3改到下午四点", "3", "16:00"),
    ("move reminder 1 to tomorrow at the same time", "1", "2026-03-05"),
    ("把明天八点的提醒改到九点", "明天八点", "九点"),
    ("set reminder 2 to 6pm", "2", "18:00"),
    ("push my 3pm reminder to 4", "3pm", "at 4"),
    ("change the yoga reminder's time to 18:30", "yoga", "18:30"),
    ("the dentist reminder should be at 3 instead", "dentist", "at 3"),
    ("把提醒4从五点改到五点半", "4", "五点半"),
    ("把三点的提醒推到四点", "三点", "四点"),
    ("set the yoga reminder to 6pm", "yoga", "18:00"),
    ("修改提醒2的时间为下午六点", "2", "18:00"),
    ("修改瑜伽提醒的时间为18:30", "瑜伽", "18:30"),
]
SHIFTS = [
    ("push the meeting reminder back by an hour", "meeting", "+1:00"),
    ("postpone reminder 2 by 30 minutes", "2", "+0:30"),
    ("提前瑜伽的提醒半小时", "瑜伽", "-0:30"),
    ("bring the dentist reminder forward by 2 hours", "dentist", "-2:00"),
    ("move the milk one 15 minutes earlier", "milk", "-0:15"),
    ("postpone the milk one by 2 hours", "milk", "+2:00"),
    ("push all my reminders back an hour", "all", "+1:00"),
    ("所有提醒往后推一小时", "all", "+1:00"),
    ("把开会的提醒推迟半小时", "开会", "+0:30"),
    ("开会的提醒往后推一个小时", "开会", "+1:00"),
    ("把开会的提醒提前十分钟", "开会", "-0:10"),
    ("提醒2推迟一小时", "2", "+1:00"),
]
TOGETHER = [
    ("make both 8pm", "both", "20:00"),
    ("ok make them both 8pm", "them", "20:00"),
    ("move both of them to friday", "both", "2026-03-06"),
    ("reschedule them all to friday", "them all", "2026-03-06"),
    ("move 1 and 3 to 9pm", "1, 3", "21:00"),
    ("push both back an hour", "both", "+1:00"),
    ("move the milk and the mum reminders to 8pm", "milk, mum", "20:00"),
    ("move my two reminders to 8pm", "my two reminders", "20:00"),
    ("change reminders 1 and 3 to 9am", "1, 3", "09:00"),
    ("都改成八点", "都", "八点"),
    ("两个都改到周五吧", "both", "2026-03-06"),
    ("把它们都改到九点", "them", "九点"),
    ("把两个提醒改到晚上八点", "both", "20:00"),
    ("把1和3改到晚上八点", "1, 3", "20:00"),
    ("第一个和第三个都改到晚上八点", "1, 3", "20:00"),
    ("两个都推迟一小时", "both", "+1:00"),
    ("这两个都提前十分钟", "both", "-0:10"),
]
DELETED_TOGETHER = [
    ("delete both", "both"),
    ("cancel both of them please", "both"),
    ("we don't need them anymore", "them"),
    ("get rid of both reminders", "both"),
    ("cancel both of my reminders", "both"),
    ("delete my two reminders", "my two"),
    ("两个都删了", "both"),
    ("把两个提醒都删了", "both"),
    ("都取消", "都"),
    ("这两个不要了", "both"),
]
CHAT_ABOUT_SEVERAL = [
    "we both leave at 8pm",
    "I'll move both to tomorrow",
    "let's do both tomorrow",
    "both trains leave at 9",
    "the first two at 8pm were full",
    "tell them at 8",
    "我们两个都八点到",
    "都八点了",
    "他们两个都改到明天了",
    "会议都改到明天了",
]
CONTENTS = [
    ("rename the milk reminder to buy oat milk", "milk", "buy oat milk"),
    ("change reminder 3 to call dad", "3", "call dad"),
    ("change the text of the rent reminder to pay the landlord", "rent", "pay the landlord"),
    ("把第二个提醒改成给爸爸打电话", "2", "给爸爸打电话"),
    ("edit reminder 2: buy oat milk instead", "2", "buy oat milk"),
    ("update reminder 2 to say buy oat milk", "2", "buy oat milk"),
]
FOLLOW_UPS = [
    ("actually make it saturday at 9", {"time": "2026-03-07 09:00"}),
    ("make it 30 minutes later", {"time": "+0:30"}),
    ("push it back by an hour", {"time": "+1:00"}),
    ("move it an hour earlier", {"time": "-1:00"}),
    ("change it to buy flowers", {"content": "buy flowers"}),
    ("actually 7pm", {"time": "19:00"}),
    ("i said 6pm not 5pm", {"time": "18:00"}),
    ("not 5pm, 6pm", {"time": "18:00"}),
    ("tomorrow, not today", {"time": "2026-03-05"}),
    ("no i meant call dad", {"content": "call dad"}),
    ("no, call dad", {"content": "call dad"}),
    ("不是五点，是六点", {"time": "六点"}),
    ("改六点", {"time": "六点"}),
    ("不对，是给爸爸打电话", {"content": "给爸爸打电话"}),
    ("不对，改成周五", {"time": "2026-03-06"}),
    ("还是七点吧", {"time": "七点"}),
    ("推迟十分钟", {"time": "+0:10"}),
    ("再晚一个小时", {"time": "+1:00"}),
    ("提前半小时", {"time": "-0:30"}),
    ("内容改成给爸爸打电话", {"content": "给爸爸打电话"}),
]


@pytest.mark.parametrize(("text", "which", "time"), TIMES)
def test_time_of_a_named_reminder_is_changed(say: Say, text: str, which: str, time: str) -> None:
    (call,) = say(text, tools=WITH_CHANGES).calls

    assert (call.name, call.arguments) == ("reminder_update", {"reminder_id": which, "time": time})


@pytest.mark.parametrize(("text", "which", "time"), TOGETHER)
def test_several_reminders_are_changed_together_after_an_action(say: Say, text: str, which: str, time: str) -> None:
    say("remind me at 5pm to buy milk", tools=WITH_CHANGES)

    (call,) = say(text, tools=WITH_CHANGES).calls

    assert (call.name, call.arguments["time"]) == ("reminder_update", time)
    assert several_in(str(call.arguments["reminder_id"])) == several_in(which)


@pytest.mark.parametrize(("text", "which"), DELETED_TOGETHER)
def test_several_reminders_are_deleted_together_after_an_action(say: Say, text: str, which: str) -> None:
    say("remind me at 5pm to buy milk", tools=WITH_CHANGES)

    (call,) = say(text, tools=WITH_CHANGES).calls

    assert call.name == "reminder_delete"
    assert several_in(str(call.arguments["reminder_id"])) == several_in(which)


@pytest.mark.parametrize("text", CHAT_ABOUT_SEVERAL)
def test_talk_about_several_things_changes_no_reminder(say: Say, text: str) -> None:
    say("remind me at 5pm to buy milk", tools=WITH_CHANGES)

    assert not say(text, tools=WITH_CHANGES).calls


@pytest.mark.parametrize("text", ["make both 8pm", "move 1 and 3 to 9pm", "delete both", "都改成八点", "两个都删了"])
def test_change_of_several_reminders_needs_an_earlier_action(say: Say, text: str) -> None:
    assert not say(text, tools=WITH_CHANGES).calls


@pytest.mark.parametrize(("text", "which", "shift"), SHIFTS)
def test_reminder_is_moved_by_a_duration(say: Say, text: str, which: str, shift: str) -> None:
    (call,) = say(text, tools=WITH_CHANGES, known=("buy milk",)).calls

    assert (call.name, call.arguments) == ("reminder_update", {"reminder_id": which, "time": shift})


@pytest.mark.parametrize(("text", "which", "content"), CONTENTS)
def test_text_of_a_named_reminder_is_changed(say: Say, text: str, which: str, content: str) -> None:
    (call,) = say(text, tools=WITH_CHANGES).calls

    assert (call.name, call.arguments) == ("reminder_update", {"reminder_id": which, "content": content})


@pytest.mark.parametrize(("text", "rule"), [("make reminder 2 weekly", "weekly"), ("喝水的提醒改成每天九点", "daily")])
def test_named_reminder_is_made_recurring(say: Say, text: str, rule: str) -> None:
    (call,) = say(text, tools=WITH_CHANGES).calls

    assert (call.name, call.arguments["type"]) == ("reminder_update", rule)


@pytest.mark.parametrize(("text", "changes"), FOLLOW_UPS)
def test_reminder_just_set_is_changed(say: Say, text: str, changes: dict[str, str]) -> None:
    say("remind me tomorrow at 5pm to buy milk", tools=WITH_CHANGES)

    (call,) = say(text, tools=WITH_CHANGES).calls

    assert (call.name, call.arguments) == ("reminder_update", {"reminder_id": "it", **changes})


@pytest.mark.parametrize(("text", "_changes"), FOLLOW_UPS)
def test_follow_up_without_an_earlier_reminder_is_ignored(say: Say, text: str, _changes: dict[str, str]) -> None:
    heard = say(text, tools=WITH_CHANGES)

    assert (heard.calls, heard.answer) == ((), "")


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("postpone it by 10 minutes", "10 minutes"),
        ("give me ten more minutes", "10 minutes"),
        ("推迟十分钟", "10分钟"),
        ("再等十分钟", "10分钟"),
    ],
)
def test_reminder_just_sent_is_snoozed(say: Say, text: str, length: str) -> None:
    (call,) = say(text, tools=WITH_CHANGES, is_addressed=True, delivered="buy milk").calls

    assert (call.name, call.arguments) == ("reminder_snooze", {"time": length})


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("snooze all", {"reminder_id": "all"}),
        ("snooze everything until 6pm", {"reminder_id": "all", "time": "18:00"}),
        ("snooze till 5", {"time": "17:00"}),
    ],
)
def test_snooze_of_all_or_until_a_bare_hour_is_read(say: Say, text: str, arguments: dict[str, str]) -> None:
    (call,) = say(text, tools=WITH_CHANGES, is_addressed=True).calls

    assert (call.name, call.arguments) == ("reminder_snooze", arguments)


@pytest.mark.parametrize("text", ["snooze it till tomorrow morning", "snooze until tomorrow at 9"])
def test_snooze_until_a_time_is_read(say: Say, text: str) -> None:
    (call,) = say(text, tools=WITH_CHANGES, is_addressed=True).calls

    assert (call.name, call.arguments) == ("reminder_snooze", {"time": "2026-03-05 09:00"})


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("move the dentist to 4", {"reminder_id": "dentist", "time": "at 4"}),
        ("change 5pm to 6pm", {"reminder_id": "5pm", "time": "18:00"}),
        ("rename the rent one to pay rent to bob", {"reminder_id": "rent", "content": "pay rent to bob"}),
        ("push everything back an hour", {"reminder_id": "all", "time": "+1:00"}),
        ("全部推迟一小时", {"reminder_id": "all", "time": "+1:00"}),
        ("不是去北京，是去上海", {"reminder_id": "北京", "content": "去上海"}),
        ("第1个推迟20分钟", {"reminder_id": "1", "time": "+0:20"}),
        ("浇花的推迟两小时", {"reminder_id": "浇花", "time": "+2:00"}),
        ("把吃药的改成吃维生素", {"reminder_id": "吃药", "content": "吃维生素"}),
    ],
)
def test_addressed_change_needs_no_word_for_a_reminder(say: Say, text: str, changes: dict[str, str]) -> None:
    (call,) = say(text, tools=WITH_CHANGES, is_addressed=True).calls

    assert (call.name, call.arguments) == ("reminder_update", changes)


def test_added_text_does_not_replace_the_content(say: Say) -> None:
    say("明天下午五点提醒我买牛奶", tools=WITH_CHANGES)

    (call,) = say("再加上面包", tools=WITH_CHANGES, is_addressed=True).calls

    assert (call.name, call.arguments) == ("reminder_update", {"reminder_id": "it", "added": "面包"})


@pytest.mark.parametrize("text", ["no, thanks", "sorry, i'm late", "no, call me", "不，是我"])
def test_talk_after_a_reminder_does_not_change_it(say: Say, text: str) -> None:
    say("remind me tomorrow at 5pm to buy milk", tools=WITH_CHANGES)

    assert say(text, tools=WITH_CHANGES, is_addressed=True).calls == ()


@pytest.mark.parametrize("text", ["delete 1-3", "delete reminders 1 to 3", "删除第1到3个提醒"])
def test_range_of_numbers_is_expanded(say: Say, text: str) -> None:
    calls = say(text, is_addressed=True).calls

    assert [call.arguments["reminder_id"] for call in calls] == ["1", "2", "3"]


@pytest.mark.parametrize("text", ["delete 2, 4 and 5", "删除2、4和5"])
def test_several_numbers_are_several_deletions(say: Say, text: str) -> None:
    calls = say(text, is_addressed=True).calls

    assert [call.arguments["reminder_id"] for call in calls] == ["2", "4", "5"]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("list my reminders for this week", {"filter": "this week", "whose": "mine"}),
        ("这周的提醒有哪些", {"filter": "这周"}),
    ],
)
def test_reminders_of_a_week_are_listed(say: Say, text: str, arguments: dict[str, str]) -> None:
    (call,) = say(text).calls

    assert (call.name, call.arguments) == ("reminder_list", arguments)


@pytest.mark.parametrize(
    "text",
    [
        "remind me tomorrow at 9 to call the bank and at 3pm to cook",
        "明天早上九点提醒我给银行打电话，下午三点提醒我做饭",
    ],
)
def test_second_request_is_on_the_day_of_the_first(say: Say, text: str) -> None:
    calls = say(text).calls

    assert [call.arguments["time"] for call in calls] == ["2026-03-05 09:00", "2026-03-05 15:00"]


def test_second_request_keeps_its_own_day(say: Say) -> None:
    calls = say("remind me tomorrow at 9 to call the bank and on friday at 3pm to cook").calls

    assert [call.arguments["time"] for call in calls] == ["2026-03-05 09:00", "2026-03-06 15:00"]


@pytest.mark.parametrize("text", ["remind me in a bit to stretch", "remind me soon to stretch", "待会儿提醒我拉伸"])
def test_indefinite_time_is_asked_about(say: Say, text: str) -> None:
    asked = say(text, is_addressed=True)

    (call,) = say("in 5 minutes").calls

    assert asked.calls == ()
    assert call.arguments["content"] in {"stretch", "拉伸"}


@pytest.mark.parametrize(
    "text",
    ["reminder 2 should be daily", "make reminder 2 repeat every day", "把提醒2改成每天重复", "把第2个提醒改成每天"],
)
def test_repetition_is_not_part_of_the_content(say: Say, text: str) -> None:
    (call,) = say(text, tools=WITH_CHANGES).calls

    assert (call.name, call.arguments["reminder_id"], call.arguments["type"]) == ("reminder_update", "2", "daily")
    assert "content" not in call.arguments


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("make reminder 2 weekly", {"type": "weekly"}),
        ("make reminder 2 every weekday", {"rrule": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}),
        ("提醒2改成每周一", {"type": "weekly", "weekday": 0}),
        ("提醒2改成每天晚上八点", {"type": "daily", "time": "20:00"}),
    ],
)
def test_repetition_without_a_clock_time_keeps_the_clock_time(say: Say, text: str, changes: dict[str, object]) -> None:
    (call,) = say(text, tools=WITH_CHANGES).calls

    assert call.arguments == {"reminder_id": "2", **changes}


@pytest.mark.parametrize("text", ["提前十分钟提醒我开会", "提前10分钟提醒我"])
def test_request_for_a_lead_changes_no_reminder(say: Say, text: str) -> None:
    tools = (*TOOLS, ToolSpec(name="reminder_update", description="", parameters={"properties": {"reminder_id": {}}}))

    assert say(text, language="zh", tools=tools).calls == ()
