"""Events, reasons, other people and spaces beside a request."""

import pytest

from bot.app.registry import built_in_registry
from function_calls.tools.calls import Interpretation
from tests.unit.offline.conftest import Say

SPACES_FOR_MARKS = [
    ("降压药 每天早上七点 提醒我吃", "07:00 降压药"),
    ("下午四点去接孙子 你记得叫我啊", "2026-03-04 16:00 去接孙子"),
    ("三点叫我 不是 三点半叫我", "2026-03-04 15:30 提醒"),
    ("五点叫我 算了 六点吧", "2026-03-04 18:00 提醒"),
]
"""As people write who leave out all marks; 我 买 牛奶 is one sentence all the same."""
OTHERS_BEHIND_AN_EVENT = [
    ("三月二十五号考试，提前三天提醒大家", "2026-03-22 09:00 考试 everyone"),
    ("下午三点开会，提前十分钟提醒小王", "2026-03-04 14:50 开会 小王"),
    ("后天上午考试，提前一天提醒@小明", "2026-03-05 10:00 考试 小明"),
    ("明晚公会战7:30开始，7点提醒大家进组", "2026-03-05 19:00 进组 everyone"),
]
ON_THE_DAY_OF_THE_EVENT = [
    ("exam tomorrow at 9, remind me at 8pm to pack", "2026-03-04 20:00 pack"),
    ("exam friday at 9, remind me at 8pm to pack", "2026-03-05 20:00 pack"),
    ("remind me at 3 to defrost it because it's for tonight", "2026-03-04 15:00 defrost it because it's for tonight"),
    ("the raid starts at 7:30pm tomorrow, remind me at 7 to log in", "2026-03-05 19:00 log in"),
    ("明早8:30有课，8点叫我", "2026-03-05 08:00 明早8:30有课"),
    ("明天下午三点家长会，两点提醒我出门", "2026-03-05 14:00 出门"),
    ("明天下午三点开会，五点提醒我写纪要", "2026-03-05 17:00 写纪要"),
    ("每天上午十一点和下午两点提醒我吃药", "2026-03-04 11:00 吃药"),
    ("面试在周四上午十点，提前一个半小时叫我", "2026-03-05 08:30 面试"),
    ("每天早上十点站会，九点五十提醒我", "09:50 每天早上十点站会"),
    ("我每天下午三点要睡午觉，四点叫醒我", "16:00 每天下午三点要睡午觉"),
    ("12月3号我生日，前一天晚上八点提醒我订蛋糕", "2026-12-02 20:00 订蛋糕"),
    ("交班前十五分钟提醒我，交班是下午五点", "2026-03-04 16:45 交班"),
]
OF_ANOTHER_PART_OF_THE_DAY = [
    ("明天中午提醒我下午五点去接孩子", "2026-03-05 12:00 下午五点去接孩子"),
    ("remind me tomorrow morning that we meet in the evening", "2026-03-05 09:00 we meet in the evening"),
]


def shown(made: Interpretation) -> list[str]:
    """When, of what and whom each of the reminders is."""
    asked = [call.arguments for call in made.calls if call.name == "reminder_set"]
    return [" ".join(str(each[key]) for key in ("time", "content", "person") if key in each) for each in asked]


@pytest.mark.parametrize(
    ("text", "told"),
    [*SPACES_FOR_MARKS, *ON_THE_DAY_OF_THE_EVENT, *OF_ANOTHER_PART_OF_THE_DAY],
)
def test_words_beside_a_request_give_time_and_content(say: Say, text: str, told: str) -> None:
    assert shown(say(text, language="zh" if "我" in text else "en")) == [told]


@pytest.mark.parametrize(("text", "told"), OTHERS_BEHIND_AN_EVENT)
def test_other_people_are_reminded_of_an_event(say: Say, text: str, told: str) -> None:
    assert shown(say(text, is_addressed=True)) == [told]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("明天早上七点叫我起床，然后八点提醒我吃药", ["2026-03-05 07:00 起床", "2026-03-05 08:00 吃药"]),
        ("wake me at 7am tomorrow, and remind me at 8 to eat", ["2026-03-05 07:00 wake up", "2026-03-05 08:00 eat"]),
    ],
)
def test_hour_after_another_is_the_next_with_this_name(say: Say, text: str, told: list[str]) -> None:
    assert shown(say(text)) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("傍晚提醒我遛狗晚上十点提醒我关窗", ["2026-03-04 18:00 遛狗", "2026-03-04 22:00 关窗"]),
        ("傍晚提醒我遛狗 晚上十点提醒我关窗", ["2026-03-04 18:00 遛狗", "2026-03-04 22:00 关窗"]),
        ("十分钟后提醒大家，下午两点提醒我", ["2026-03-04 10:10 提醒 everyone", "2026-03-04 14:00 提醒"]),
        ("今晚8点提醒我打电话 9点倒垃圾", ["2026-03-04 20:00 打电话", "2026-03-04 21:00 倒垃圾"]),
        ("明天六点半起床、七点吃早饭，都提醒我", ["2026-03-05 06:30 起床", "2026-03-05 07:00 吃早饭"]),
        ("提醒我两件事：下午一点交表、下午两点面试", ["2026-03-04 13:00 交表", "2026-03-04 14:00 面试"]),
    ],
)
def test_several_requests_are_separated(say: Say, text: str, told: list[str]) -> None:
    assert shown(say(text, language="zh", is_addressed=True)) == told


def test_mornings_and_evenings_are_daily(say: Say) -> None:
    (call,) = say("早晚八点提醒我吃药").calls

    assert (call.arguments["rrule"], call.arguments["content"]) == ("FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", "吃药")


def test_last_workday_of_a_month_has_one_clock_time(say: Say) -> None:
    (call,) = say("每月最后一个工作日下午四点提醒我报销").calls

    assert call.arguments["rrule"] == "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=16;BYMINUTE=0"


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("查查我有没有周五的提醒", "reminder_list", {"filter": "周五"}),
        ("我明天都有啥事儿", "reminder_list", {"filter": "明天"}),
        ("提醒列表给我看看", "reminder_list", {}),
        ("不用再叫我起床了", "reminder_delete", {"reminder_id": "起床"}),
        ("取消所有今天下午的提醒", "reminder_delete", {"reminder_id": "all 今天下午"}),
        ("我今日仲有咩提醒", "reminder_list", {"filter": "今日"}),
        ("后天的全取消", "reminder_delete", {"reminder_id": "all 后天"}),
        ("打卡提醒没用了删掉吧", "reminder_delete", {"reminder_id": "打卡"}),
        ("刚才那个提前十分钟", "reminder_update", {"reminder_id": "最后一个", "time": "-0:10"}),
        ("所有提醒都提前五分钟", "reminder_update", {"reminder_id": "all", "time": "-0:05"}),
        ("吃药的那个提醒不是八点是九点", "reminder_update", {"reminder_id": "吃药", "time": "九点"}),
        ("这周先别提醒我健身", "reminder_state", {"action": "pause", "during": "这周", "reminder_id": "健身"}),
        ("明天不用叫我起床", "reminder_update", {"reminder_id": "起床", "skip": "明天"}),
        ("现在忙 一小时后再提醒", "reminder_snooze", {"time": "2026-03-04 11:00"}),
        ("最近100条都说了啥", "summary", {}),
        ("今天的聊天重点是什么", "summary", {"window": "今天的"}),
        ("例会提醒提前一刻钟", "reminder_update", {"reminder_id": "例会", "time": "-0:15"}),
        ("取消刚才的提醒", "reminder_delete", {"reminder_id": "最后一个"}),
        ("小陈刚才说了啥", "summary", {"person": "小陈"}),
        ("我到伦敦了", "time_zone", {"zone": "伦敦"}),
        ("吃药那个别提醒了", "reminder_delete", {"reminder_id": "吃药"}),
        ("喝水的提醒都删掉", "reminder_delete", {"reminder_id": "all 喝水"}),
        ("把所有关于喝水的提醒都取消", "reminder_delete", {"reminder_id": "all 喝水"}),
        ("交房租的提醒从5号改成10号", "reminder_update", {"reminder_id": "交房租", "time": "2026-03-10"}),
        ("下周一的例会取消一次", "reminder_update", {"reminder_id": "例会", "skip": "下周一的"}),
        ("麻煩總結一下今日大家講咗乜", "summary", {"window": "今日"}),
        ("时区换成悉尼", "time_zone", {"zone": "悉尼"}),
        ("总结下我没看的消息", "summary", {}),
        ("帮我看看小王今天说了什么", "summary", {"window": "今天", "person": "小王"}),
        ("过去两小时群里有啥重点", "summary", {"window": "过去两小时"}),
        ("先把喝水提醒停一下", "reminder_state", {"action": "pause", "reminder_id": "喝水"}),
        ("我出差，提醒先全停了吧", "reminder_state", {"action": "pause", "reminder_id": "all"}),
        ("I'm back, resume all reminders", "reminder_state", {"action": "resume", "reminder_id": "all"}),
    ],
)
def test_request_is_read_with_its_own_words(say: Say, text: str, name: str, arguments: dict[str, object]) -> None:
    (call,) = say(text, is_addressed=True, tools=built_in_registry().specs).calls

    assert (call.name, call.arguments) == (name, arguments)


def test_range_of_numbers_means_all_of_them(say: Say) -> None:
    calls = say("把第一到第三个提醒删掉").calls

    assert [call.arguments["reminder_id"] for call in calls] == ["1", "2", "3"]


@pytest.mark.parametrize(
    "text", ["提醒功能怎么用", "如果我关机了还能提醒吗", "提醒会不会重复响", "你能提醒别人吗", "提醒准不准啊"]
)
def test_question_about_reminders_lists_the_existing_ones(say: Say, text: str) -> None:
    assert say(text, is_addressed=True, language="zh").answer.startswith("我会提醒")


@pytest.mark.parametrize("text", ["每天饭后半小时提醒我吃药", "每天提醒我喝水八次"])
def test_recurrence_without_clock_times_needs_a_question(say: Say, text: str) -> None:
    made = say(text, language="zh")

    assert (made.calls, made.answer[:5]) == ((), "什么时候提")


@pytest.mark.parametrize("text", ["先提醒我下午四点吃药", "嗯那个帮我记一下下午四点吃药"])
def test_name_of_the_bot_hides_no_words(say: Say, text: str) -> None:
    assert shown(say(f"@bubbles {text}", is_addressed=True)) == ["2026-03-04 16:00 吃药"]


@pytest.mark.parametrize(
    "text",
    [
        "说了什么",
        "刚才那个撤回了",
        "每天叫我起床的是梦想",
        "一直提醒我烦死了",
        "三点提醒我妈吃饭了没",
        "六点半叫醒我，求求了室友们",
        "这两点提醒我们要小心",
        "记得提醒我啊老王",
    ],
)
def test_talk_between_people_requests_nothing(say: Say, text: str) -> None:
    assert say(text, language="zh") == Interpretation()
