"""Pauses of reminders, and reminders that repeat until they are done, with the whole bot."""

import pytest

from bot.testing.in_memory import talk_to_bot


async def test_request_until_done_is_no_report_of_completion():
    answers = await talk_to_bot("提醒@小明 明天九点吃药直到我说做完")

    assert "明天 09:00" in answers[0]
    assert "提醒 @小明：吃药" in answers[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pause the standup from dec 20 to jan 3", "from Sunday 20 December 2026 to Sunday 3 January 2027"),
        ("pause standup this weekend", "from Saturday 21 November 2026 to Sunday 22 November 2026"),
        ("mute tomorrow's standup reminder", "on Saturday 21 November 2026"),
        ("pause everything for the next 3 days", "from Saturday 21 November 2026 to Monday 23 November 2026"),
        ("pause the standup for a week", "from Saturday 21 November 2026 to Friday 27 November 2026"),
        ("pause the standup for a month", "from Saturday 21 November 2026 to Sunday 20 December 2026"),
        ("pause the standup for a while", "Paused"),
        ("暂停standup提醒一周", "2026年11月21日 周六到2026年11月27日 周五不提醒"),
        ("pause it until tuesday", "from Saturday 21 November 2026 to Monday 23 November 2026"),
        ("I'm away from dec 20 to jan 3, pause my reminders", "from Sunday 20 December 2026 to Sunday 3 January 2027"),
        ("暂停12月20日到1月3日的standup提醒", "2026年12月20日 周日到2027年1月3日 周日不提醒"),
        ("这周先暂停standup提醒", "2026年11月21日 周六到2026年11月22日 周日不提醒"),
        ("所有提醒先停三天", "2026年11月21日 周六到2026年11月23日 周一不提醒"),
    ],
)
async def test_reminder_is_suspended_for_a_period(text, told):
    answers = await talk_to_bot("remind me every day at 9 am of the standup", text)

    assert told in answers[-1]
