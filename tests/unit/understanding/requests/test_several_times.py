"""Several times in one request: separate reminders, or a choice between them."""

import pytest

from tests.unit.understanding.conftest import Say

ALL_OF = [
    ("remind me at 5, 6 and 7 to drink water", ["2026-03-04 17:00", "2026-03-04 18:00", "2026-03-04 19:00"]),
    ("remind me to drink water at 5 and 6", ["2026-03-04 17:00", "2026-03-04 18:00"]),
    ("remind me to drink water at 5pm, 6pm and 7pm", ["2026-03-04 17:00", "2026-03-04 18:00", "2026-03-04 19:00"]),
    ("remind me tomorrow at 3 and 4 to drink water", ["2026-03-05 15:00", "2026-03-05 16:00"]),
    ("remind me at 5pm and 6pm tomorrow to drink water", ["2026-03-05 17:00", "2026-03-05 18:00"]),
    ("明天九点、十点各提醒我喝水", ["2026-03-05 09:00", "2026-03-05 10:00"]),
    ("今天下午三点、四点、五点提醒我喝水", ["2026-03-04 15:00", "2026-03-04 16:00", "2026-03-04 17:00"]),
    ("明早七点、七点十分提醒我喝水", ["2026-03-05 07:00", "2026-03-05 07:10"]),
    ("5点、6点和7点提醒我喝水", ["2026-03-04 17:00", "2026-03-04 18:00", "2026-03-04 19:00"]),
]
ONE_OF = [
    "remind me at 5 or 6 to drink water",
    "remind me to drink water at 5 or at 6",
    "remind me friday or saturday at 5pm to drink water",
    "5点或6点提醒我喝水",
    "提醒我周五或者周六下午三点喝水",
]


@pytest.mark.parametrize(("text", "times"), ALL_OF)
def test_list_of_clock_times_is_one_reminder_each(say: Say, text: str, times: list[str]) -> None:
    calls = say(text).calls

    assert [call.arguments["time"] for call in calls] == times
    assert {call.arguments["content"] for call in calls} <= {"drink water", "喝水"}


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("set: 12 Dec 4pm mehndi, 13 Dec 7pm sangeet", ["mehndi", "sangeet"]),
        ("明早5点提醒大伙熬粥，后天五点叫我结账", ["熬粥", "结账"]),
        ("明天下午3点开会、5点接娃，都提醒我", ["开会", "接娃"]),
        ("avísame a las 12 de comer y a las 18 de merendar", ["comer", "merendar"]),
    ],
)
def test_contents_with_their_own_clock_times_are_separate_reminders(say: Say, text: str, contents: list[str]) -> None:
    calls = say(text, is_addressed=True).calls

    assert [call.arguments["content"] for call in calls] == contents


@pytest.mark.parametrize("text", ONE_OF)
def test_choice_between_two_times_is_asked_about(say: Say, text: str) -> None:
    asked = say(text)

    (call,) = say("2").calls

    assert (asked.calls, len(asked.choices)) == ((), 2)
    assert call.arguments["content"] in {"drink water", "喝水"}


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("remind me to buy 5 or 6 eggs at 7pm", "buy 5 or 6 eggs"),
    ],
)
def test_a_figure_that_counts_something_is_no_clock_time(say: Say, text: str, content: str) -> None:
    (call,) = say(text).calls

    assert call.arguments["content"] == content


@pytest.mark.parametrize(
    ("text", "clocks"),
    [
        ("BP tablet 9 am daily and night 9 pm remind me", ["09:00", "21:00"]),
        ("remind me every morning at 6 and again at 6 in the evening to water the herbs", ["06:00", "18:00"]),
    ],
)
def test_clock_time_after_a_repetition_repeats_too(say: Say, text: str, clocks: list[str]) -> None:
    calls = say(text).calls

    assert [(call.arguments["type"], call.arguments["time"]) for call in calls] == [("daily", each) for each in clocks]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("remind everyone the evening before (11th) to pack the stands", "2026-03-11 19:00"),
        ("the train leaves 7.20 tomorrow, remind me 25 mins before", "2026-03-05 06:55"),
        ("后天上午十点质控检查，前一晚八点提醒大家补齐记录", "2026-03-05 20:00"),
        ("明天下午两点开始闭水，48小时后提醒我放水", "2026-03-07 14:00"),
        ("明天下午两点开会，十分钟后提醒我写稿子", "2026-03-04 10:10"),
    ],
)
def test_reminder_is_relative_to_the_event_of_another_clause(say: Say, text: str, time: str) -> None:
    (call,) = say(text).calls

    assert call.arguments["time"] == time


def test_later_by_an_amount_counts_from_the_previous_time(say: Say) -> None:
    calls = say("remind me tomorrow 6am to drench the calves and again a fortnight later").calls

    assert [call.arguments["time"] for call in calls] == ["2026-03-05 06:00", "2026-03-19 06:00"]


def test_reminder_of_a_monthly_event_is_monthly(say: Say) -> None:
    (call,) = say("the rent goes out the 28th of every month, give me a warning at 09.00 on the 26th").calls

    assert call.arguments["rrule"] == "FREQ=MONTHLY;BYMONTHDAY=26;BYHOUR=9;BYMINUTE=0"


def test_connective_before_a_second_request_is_ignored(say: Say) -> None:
    calls = say("明天上午11点提醒我买灯；还有今晚十点半提醒我给充电宝充电").calls

    assert [call.arguments["time"] for call in calls] == ["2026-03-05 11:00", "2026-03-04 22:30"]


def test_two_repetitions_are_two_reminders(say: Say) -> None:
    calls = say("remind me every morning at 7 and every evening at 9 to brush teeth").calls

    assert [(call.arguments["type"], call.arguments["time"]) for call in calls] == [
        ("daily", "07:00"),
        ("daily", "21:00"),
    ]


@pytest.mark.parametrize("text", ["wake me at 7 on weekdays and 9 on weekends"])
def test_weekdays_and_weekends_may_have_different_hours(say: Say, text: str) -> None:
    calls = say(text).calls

    assert [call.arguments["rrule"] for call in calls] == [
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0",
        "FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0",
    ]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("remind me to text Mina at 5 and Mr Lee at 6", ["text Mina", "text Mr Lee"]),
        ("remind me to call mum at 5, dad at 6 and my boss at 7", ["call mum", "call dad", "call my boss"]),
        ("remind me to call ann at 5 and gym at 6", ["call ann", "gym"]),
        ("remind me to eat at 5 and bob at 6", ["eat", "bob"]),
        ("remind me at 5 to call mum. at 6 to call dad. and at 7 to eat", ["call mum", "call dad", "eat"]),
    ],
)
def test_second_name_is_a_second_content(say: Say, text: str, contents: list[str]) -> None:
    assert [call.arguments["content"] for call in say(text).calls] == contents


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("at 2:45 remind me about the 3pm meeting", "the 3pm meeting"),
        ("两点四十五提醒我三点的会", "三点的会"),
    ],
)
def test_a_clock_time_in_the_name_of_a_thing_is_no_second_time(say: Say, text: str, content: str) -> None:
    (call,) = say(text).calls

    assert (call.arguments["time"], call.arguments["content"]) == ("2026-03-04 14:45", content)


@pytest.mark.parametrize("text", ["三餐后提醒我吃药"])
def test_after_meals_is_three_times_a_day(say: Say, text: str) -> None:
    (call,) = say(text).calls

    assert call.arguments["rrule"] == "FREQ=DAILY;BYHOUR=9,14,19;BYMINUTE=0"


@pytest.mark.parametrize("text", ["mon wed fri at 7am gym", "gym mon/wed/fri 7am", "周一三五早上七点健身"])
def test_note_with_several_weekdays_is_weekly(say: Say, text: str) -> None:
    (call,) = say(text, is_addressed=True).calls

    assert call.arguments["rrule"] == "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=7;BYMINUTE=0"
    assert call.arguments["content"] in {"gym", "健身"}


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("lunch with sam 12:30 tomorrow", [("2026-03-05 12:30", "lunch with sam")]),
    ],
)
def test_a_note_may_hold_several_things_to_do(say: Say, text: str, noted: list[tuple[str, str]]) -> None:
    calls = say(text, is_addressed=True).calls

    assert [(call.arguments["time"], call.arguments["content"]) for call in calls] == noted
