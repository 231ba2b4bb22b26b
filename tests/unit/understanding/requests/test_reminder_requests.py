"""Content, people and time of reminders in whole sentences."""

import pytest

from tests.unit.understanding.conftest import Say, names

CONTENTS = [
    ("remind me tomorrow to email the landlord about the sink", "email the landlord about the sink"),
    ("set a reminder for the team lunch on Friday at noon", "the team lunch"),
    ("I need to text Nora tonight at 7 pm. Can you remind me?", "text Nora"),
    ("every Sunday remind me to mop the floors", "mop the floors"),
    ("please set a 7pm reminder to pick up the parcel tomorrow", "pick up the parcel"),
    ("bubbles, could you remind me at 5 to water the grass? Thanks!", "water the grass"),
    ("明天早上记得提醒我带伞哦", "带伞"),
    ("别忘了提醒我明天九点交报告", "交报告"),
    ("明天提醒我關燈", "關燈"),
    ('put "call the plumber" in my reminders for 2pm', "call the plumber"),
    ("remind me tomorrow at noon to upgrade to version 3.11", "upgrade to version 3.11"),
    ("timer 8 minutes pasta", "pasta"),
    ("明天中午提醒我升级到3.11版本", "升级到3.11版本"),
    ("下午四点有演示，提前30分钟提醒我装投影仪", "装投影仪"),
    ("到了五点提醒我下班", "下班"),
    ("明天九点提醒我下单", "下单"),
    ("別忘了提醒我明天早上九點交作業", "交作業"),
    ("下周三给我发个提醒，倒垃圾", "倒垃圾"),
    ("半夜叫我起来看流星", "起来看流星"),
    ("remind me to pick up the bread after work", "pick up the bread after work"),
    ("remind me tomorrow after work to pick up the bread", "pick up the bread"),
    ("remind me to stretch after lunch tomorrow", "stretch after lunch"),
    ("recuérdame comprar pan después del trabajo", "comprar pan después del trabajo"),
    ("remind me on Friday at 8 that I have an eye test", "eye test"),
    ("remind Bob on Friday at 8 that I have an eye test", "I have an eye test"),
]
PICTURES = ["remind me at 5 🎂", "remind me at 5 to 🎂", "五点提醒我🎂"]
PEOPLE = [
    ("remind everyone tomorrow at 9 to bring cups", "everyone"),
    ("remind @bob at 5pm to call", "bob"),
    ("提醒@小明 明天下午三点开会", "小明"),
    ("明天下午三点提醒妈妈吃药", "妈妈"),
    ("六点提醒@汤姆给他妈打电话", "汤姆"),
    ("明天九点提醒我妈记得吃药", "我妈"),
]


@pytest.mark.parametrize(("text", "content"), CONTENTS)
def test_content_excludes_trigger_time_and_politeness(say: Say, text: str, content: str) -> None:
    (call,) = say(text, language="zh").calls

    assert call.arguments["content"] == content


@pytest.mark.parametrize(("text", "person"), PEOPLE)
def test_another_person_can_be_reminded(say: Say, text: str, person: str) -> None:
    (call,) = say(text).calls

    assert names(call.arguments["person"]) == names(person)


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("tell everyone at 5 that dinner is ready", "everyone"),
        ("let everyone know at 5 that dinner is ready", "everyone"),
        ("tell bob at 5 to call me", "bob"),
    ],
)
def test_bot_can_be_asked_to_tell_a_person(say: Say, text: str, person: str) -> None:
    (call,) = say(text, is_addressed=True).calls

    assert (call.arguments["time"], names(call.arguments["person"])) == ("2026-03-04 17:00", names(person))


def test_two_times_with_two_contents_are_two_reminders(say: Say) -> None:
    calls = say("remind me at 5 to call mum and at 6 to cook").calls

    assert [(call.arguments["time"], call.arguments["content"]) for call in calls] == [
        ("2026-03-04 17:00", "call mum"),
        ("2026-03-04 18:00", "cook"),
    ]


def test_two_requests_in_chinese_are_two_reminders(say: Say) -> None:
    calls = say("五点提醒我打电话，六点做饭").calls

    assert [call.arguments["content"] for call in calls] == ["打电话", "做饭"]


def test_requests_of_different_kinds_keep_their_order(say: Say) -> None:
    calls = say("delete reminder 2 and remind me tomorrow at 9 to pay rent").calls

    assert [call.name for call in calls] == ["reminder_delete", "reminder_set"]


def test_the_calls_of_one_message_have_different_ids(say: Say) -> None:
    calls = say("remind me at 5 to call mum and at 6 to cook").calls

    assert len({call.id for call in calls}) == len(calls)


def test_lead_is_subtracted_from_its_time(say: Say) -> None:
    (call,) = say("remind me 30 minutes before my meeting at 2 pm").calls

    assert call.arguments["time"] == "2026-03-04 13:30"


def test_separate_day_and_clock_time_are_one_time(say: Say) -> None:
    (call,) = say("remind me tomorrow to call mum at 5").calls

    assert call.arguments["time"] == "2026-03-05 17:00"


def test_a_second_time_stays_in_the_content(say: Say) -> None:
    (call,) = say("remind mom friday at 11 am that lina is coming over on saturday").calls

    assert (call.arguments["time"], call.arguments["content"]) == (
        "2026-03-06 11:00",
        "lina is coming over on saturday",
    )


def test_repetition_that_is_not_daily_or_weekly_has_a_rule(say: Say) -> None:
    (call,) = say("每隔两天提醒我浇花").calls

    assert call.arguments["rrule"] == "FREQ=DAILY;INTERVAL=2"
    assert call.arguments["time"] == "2026-03-05 09:00"


def test_reminder_without_a_content_gets_a_default_content(say: Say) -> None:
    (call,) = say("remind me in 10 minutes").calls

    assert call.arguments["content"] == "Reminder"


def test_seconds_of_a_short_delay_are_kept(say: Say) -> None:
    (call,) = say("remind me in 90 seconds to turn the eggs").calls

    assert call.arguments["time"] == "2026-03-04 10:01:30"


@pytest.mark.parametrize("text", PICTURES)
def test_emoji_may_be_the_whole_content(say: Say, text: str) -> None:
    (call,) = say(text).calls

    assert call.arguments["content"] == "🎂"
