"""Events, reasons and remarks beside a request."""

import pytest

from bot.app.registry import built_in_registry
from function_calls.tools.calls import Interpretation
from tests.unit.understanding.conftest import Say

SPACES_FOR_MARKS = [
    ("下午四点去接孙子 你记得叫我啊", "2026-03-04 16:00 去接孙子"),
]
"""As people write who leave out all marks; 我 买 牛奶 is one sentence all the same."""
OTHERS_BEHIND_AN_EVENT = [
    ("三月二十五号考试，提前三天提醒大家", "2026-03-22 09:00 考试 everyone"),
    ("下午三点开会，提前十分钟提醒小王", "2026-03-04 14:50 开会 小王"),
    ("明晚公会战7:30开始，7点提醒大家进组", "2026-03-05 19:00 进组 everyone"),
]
ON_THE_DAY_OF_THE_EVENT = [
    ("exam tomorrow at 9, remind me at 8pm to pack", "2026-03-04 20:00 pack"),
    ("exam friday at 9, remind me at 8pm to pack", "2026-03-05 20:00 pack"),
    ("the raid starts at 7:30pm tomorrow, remind me at 7 to log in", "2026-03-05 19:00 log in"),
    ("明天下午三点家长会，两点提醒我出门", "2026-03-05 14:00 出门"),
    ("明天下午三点开会，五点提醒我写纪要", "2026-03-05 17:00 写纪要"),
    ("每天上午十一点和下午两点提醒我吃药", "2026-03-04 11:00 吃药"),
    ("面试在周四上午十点，提前一个半小时叫我", "2026-03-05 08:30 面试"),
    ("12月3号我生日，前一天晚上八点提醒我订蛋糕", "2026-12-02 20:00 订蛋糕"),
]
OF_ANOTHER_PART_OF_THE_DAY = [
    ("明天中午提醒我下午五点去接孩子", "2026-03-05 12:00 下午五点去接孩子"),
    ("remind me tomorrow morning that we meet in the evening", "2026-03-05 09:00 we meet in the evening"),
    ("明天九点提醒大家断网，到下午两点恢复", "2026-03-05 09:00 断网，到下午两点恢复 everyone"),
]


def describe_reminders(made: Interpretation) -> list[str]:
    """Return time, content and people of each reminder that is set."""
    asked = [call.arguments for call in made.calls if call.name == "reminder_set"]
    return [" ".join(str(each[key]) for key in ("time", "content", "person") if key in each) for each in asked]


@pytest.mark.parametrize(
    ("text", "told"),
    [*SPACES_FOR_MARKS, *ON_THE_DAY_OF_THE_EVENT, *OF_ANOTHER_PART_OF_THE_DAY],
)
def test_event_beside_a_request_gives_time_and_content(say: Say, text: str, told: str) -> None:
    assert describe_reminders(say(text, language="zh" if "我" in text else "en")) == [told]


@pytest.mark.parametrize(("text", "told"), OTHERS_BEHIND_AN_EVENT)
def test_other_people_are_reminded_of_an_event(say: Say, text: str, told: str) -> None:
    assert describe_reminders(say(text, is_addressed=True)) == [told]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("明天早上七点叫我起床，然后八点提醒我吃药", ["2026-03-05 07:00 起床", "2026-03-05 08:00 吃药"]),
        ("wake me at 7am tomorrow, and remind me at 8 to eat", ["2026-03-05 07:00 wake up", "2026-03-05 08:00 eat"]),
    ],
)
def test_hour_without_a_half_of_the_day_follows_the_previous_hour(say: Say, text: str, told: list[str]) -> None:
    assert describe_reminders(say(text)) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("傍晚提醒我遛狗晚上十点提醒我关窗", ["2026-03-04 18:00 遛狗", "2026-03-04 22:00 关窗"]),
        ("傍晚提醒我遛狗 晚上十点提醒我关窗", ["2026-03-04 18:00 遛狗", "2026-03-04 22:00 关窗"]),
        ("今晚8点提醒我打电话 9点倒垃圾", ["2026-03-04 20:00 打电话", "2026-03-04 21:00 倒垃圾"]),
    ],
)
def test_several_requests_are_separated(say: Say, text: str, told: list[str]) -> None:
    assert describe_reminders(say(text, language="zh", is_addressed=True)) == told


def test_last_workday_of_a_month_has_one_clock_time(say: Say) -> None:
    (call,) = say("每月最后一个工作日下午四点提醒我报销").calls

    assert call.arguments["rrule"] == "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=16;BYMINUTE=0"


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("取消所有今天下午的提醒", "reminder_delete", {"reminder_id": "all 今天下午"}),
        ("后天的全取消", "reminder_delete", {"reminder_id": "all 后天"}),
        ("打卡提醒没用了删掉吧", "reminder_delete", {"reminder_id": "打卡"}),
        ("所有提醒都提前五分钟", "reminder_update", {"reminder_id": "all", "time": "-0:05"}),
        ("吃药的那个提醒不是八点是九点", "reminder_update", {"reminder_id": "吃药", "time": "九点"}),
        ("这周先别提醒我健身", "reminder_state", {"action": "pause", "during": "这周", "reminder_id": "健身"}),
        ("例会提醒提前一刻钟", "reminder_update", {"reminder_id": "例会", "time": "-0:15"}),
        ("小陈刚才说了啥", "summary", {"person": "小陈"}),
        ("吃药那个别提醒了", "reminder_delete", {"reminder_id": "吃药"}),
        ("把所有关于喝水的提醒都取消", "reminder_delete", {"reminder_id": "all 喝水"}),
        ("麻煩總結一下今日大家講咗乜", "summary", {"window": "今日"}),
        ("时区换成悉尼", "time_zone", {"zone": "悉尼"}),
        ("总结下我没看的消息", "summary", {}),
        ("过去两小时群里有啥重点", "summary", {"window": "过去两小时"}),
        ("先把喝水提醒停一下", "reminder_state", {"action": "pause", "reminder_id": "喝水"}),
        ("我出差，提醒先全停了吧", "reminder_state", {"action": "pause", "reminder_id": "all"}),
        ("I'm back, resume all reminders", "reminder_state", {"action": "resume", "reminder_id": "all"}),
    ],
)
def test_request_about_reminders_is_read_with_its_arguments(
    say: Say, text: str, name: str, arguments: dict[str, object]
) -> None:
    (call,) = say(text, is_addressed=True, tools=built_in_registry().specs).calls

    assert (call.name, call.arguments) == (name, arguments)


def test_addressed_sentence_is_read_without_a_remark_to_others(say: Say) -> None:
    made = say("You are, sorry Tom. Bubbles, add Tom to that.", known=("buy milk",), tools=built_in_registry().specs)

    assert [(call.name, call.arguments["person"]) for call in made.calls] == [("reminder_update", "+Tom")]


@pytest.mark.parametrize("text", ["先提醒我下午四点吃药", "嗯那个帮我记一下下午四点吃药"])
def test_words_after_the_name_of_the_bot_are_read(say: Say, text: str) -> None:
    assert describe_reminders(say(f"@bubbles {text}", is_addressed=True)) == ["2026-03-04 16:00 吃药"]


@pytest.mark.parametrize(
    "text",
    [
        "刚才那个撤回了",
        "每天叫我起床的是梦想",
        "一直提醒我烦死了",
        "这两点提醒我们要小心",
        "记得提醒我啊老王",
    ],
)
def test_talk_between_people_requests_nothing(say: Say, text: str) -> None:
    assert say(text, language="zh") == Interpretation()
