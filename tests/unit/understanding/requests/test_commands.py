"""Requests for lists, deletions, searches, summaries and help."""

import pytest

from function_calls.language.messages import say as explained
from function_calls.tools.calls import ToolSpec
from tests.unit.understanding.conftest import TOOLS, Say

KNOWN = ("buy milk", "dentist", "stretch", "看牙", "喝水")
DELETIONS = [
    ("cancel my reminder to buy milk", ["buy milk"]),
    ("delete the second reminder", ["2"]),
    ("cancel my reminders for tomorrow", ["all tomorrow"]),
    ("cancel everything for tomorrow", ["all tomorrow"]),
    ("取消明天的所有提醒", ["all 明天"]),
    ("delete the laundry reminder and the milk reminder", ["laundry", "milk"]),
    ("cancel my 7am alarm", ["7am"]),
    ("删掉下一个提醒", ["下一个"]),
    ("delete all of my reminders", ["all"]),
    ("把喝水的提醒删掉", ["喝水"]),
    ("全部取消", ["all"]),
    ("CANCEL ALL REMINDERS FOR TOMORROW", ["all TOMORROW"]),
    ("把提醒2删了", ["2"]),
    ("delete all reminders except the dentist one", ["all except dentist"]),
    ("cancel all my reminders but 2", ["all except 2"]),
]
ADDRESSED_DELETIONS = [
    ("取消第1、2、4个提醒", ["1", "2", "4"]),
    ("please delete reminders 1 and 3", ["1", "3"]),
    ("删除第1个和第3个提醒", ["1", "3"]),
    ("删除第一个和第三个", ["1", "3"]),
    ("把第一个、第二个删掉", ["1", "2"]),
    ("delete the first and the third one", ["1", "3"]),
    ("把除了看牙的提醒都删掉", ["all except 看牙"]),
    ("删除除了看牙以外的所有提醒", ["all except 看牙"]),
]
LISTS = [
    "what reminders do I have tomorrow?",
    "how many reminders are set for today",
    "do I have any reminders?",
    "显示我的所有的提醒",
    "明天的提醒有哪些",
    "list everything you'll remind me about",
    "你明天要提醒我什么",
    "我让你提醒我什么来着",
    "下周的提醒给我看看",
    "还有哪些提醒",
    "下一个提醒是什么时候",
]
SUMMARIES = [
    "what did I miss",
    "tell me what I missed",
    "phone was dead all day, what did I miss?",
    "hi girls sorry, meetings all day. what did i miss?",
    "刚在开车，我错过什么了",
    "summarize since noon",
    "sum up everything since noon",
    "tl;dr",
    "总结今天的聊天",
    "群里聊了什么",
    "给个总结",
]
CHANGES = {
    "reminder_update": ToolSpec(
        name="reminder_update",
        description="",
        parameters={"properties": {"reminder_id": {}, "type": {}, "time": {}, "content": {}}},
    ),
    "reminder_snooze": ToolSpec(name="reminder_snooze", description="", parameters={"properties": {"time": {}}}),
    "undo": ToolSpec(name="undo", description="", parameters={"properties": {}}),
}


@pytest.mark.parametrize(("text", "references"), DELETIONS)
def test_deletion_names_its_reminders(say: Say, text: str, references: list[str]) -> None:
    calls = say(text, known=KNOWN).calls

    assert [call.arguments["reminder_id"] for call in calls] == references


@pytest.mark.parametrize(("text", "references"), ADDRESSED_DELETIONS)
def test_addressed_deletion_names_its_reminders(say: Say, text: str, references: list[str]) -> None:
    calls = say(text, is_addressed=True).calls

    assert [call.arguments["reminder_id"] for call in calls] == references


@pytest.mark.parametrize("text", LISTS)
def test_reminders_are_listed(say: Say, text: str) -> None:
    assert [call.name for call in say(text).calls] == ["reminder_list"]


@pytest.mark.parametrize("text", SUMMARIES)
def test_request_for_a_summary_is_recognised(say: Say, text: str) -> None:
    assert [call.name for call in say(text).calls] == ["summary"]


@pytest.mark.parametrize("text", ["bubbles, how tall is the Eiffel Tower?", "@bubbles 埃菲尔铁塔有多高？"])
def test_question_to_the_bot_is_searched(say: Say, text: str) -> None:
    (call,) = say(text, is_addressed=True).calls

    assert call.name == "perplexity_search"
    assert "bubbles" not in str(call.arguments["query"])


@pytest.mark.parametrize(("text", "language"), [("help", "en"), ("good morning", "en"), ("你能做什么", "zh")])
def test_addressed_message_without_a_request_is_answered_with_the_help(say: Say, text: str, language: str) -> None:
    heard = say(text, language=language, is_addressed=True)

    assert heard.calls == ()
    assert heard.answer.count("•") == 4


@pytest.mark.parametrize(("text", "language"), [("never mind", "en"), ("算了", "zh")])
def test_retracted_request_gets_no_help(say: Say, text: str, language: str) -> None:
    heard = say(text, language=language, is_addressed=True)

    assert heard.calls == ()
    assert heard.answer.count("•") == 0


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("move the milk one to 6pm", "reminder_update"),
        ("把喝水的提醒改到下午六点", "reminder_update"),
        ("snooze 10 minutes", "reminder_snooze"),
        ("十分钟后再提醒", "reminder_snooze"),
        ("undo that", "undo"),
        ("撤销", "undo"),
    ],
)
def test_change_is_explained_if_its_function_is_missing(say: Say, text: str, tool: str) -> None:
    without = say(text, is_addressed=True)
    with_tool = say(text, is_addressed=True, tools=(*TOOLS, CHANGES[tool]))

    assert without.calls == ()
    assert without.answer
    assert [call.name for call in with_tool.calls] == [tool]


def test_change_of_the_hour_keeps_the_day(say: Say) -> None:
    (call,) = say("move the milk one to 6pm", is_addressed=True, tools=(*TOOLS, CHANGES["reminder_update"])).calls

    assert call.arguments == {"reminder_id": "milk", "time": "18:00"}


def test_change_to_another_day_names_the_day(say: Say) -> None:
    (call,) = say(
        "move the milk one to tomorrow at 6pm", is_addressed=True, tools=(*TOOLS, CHANGES["reminder_update"])
    ).calls

    assert call.arguments == {"reminder_id": "milk", "time": "2026-03-05 18:00"}


def test_window_is_an_argument_of_the_summary(say: Say) -> None:
    summary = ToolSpec(name="summary", description="", parameters={"properties": {"window": {}}})

    (call,) = say("summarize since noon", tools=(summary,)).calls

    assert "noon" in str(call.arguments["window"])


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("summarize what Bob said", {"person": "Bob"}),
        (
            "summarize what Bob said about the release yesterday",
            {"person": "Bob", "topic": "the release", "window": "yesterday"},
        ),
        ("summarize the discussion about the budget", {"topic": "the budget"}),
        ("recap of this week", {"window": "this week"}),
        ("总结小明说的", {"person": "小明"}),
        ("总结小明今天说了什么", {"person": "小明", "window": "今天"}),
        ("总结一下关于预算的讨论", {"topic": "预算"}),
        ("上周的总结", {"window": "上周"}),
    ],
)
def test_summary_may_be_of_a_person_a_topic_or_a_time(say: Say, text: str, arguments: dict[str, str]) -> None:
    calls = say(text, language="zh" if not text.isascii() else "en").calls

    assert [(call.name, call.arguments) for call in calls] == [("summary", arguments)]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("what did bob say about the release", {"person": "bob", "topic": "the release"}),
        ("小明昨天说了什么", {"person": "小明", "window": "昨天"}),
        ("关于团建大家说了什么", {"topic": "团建"}),
    ],
)
def test_question_about_messages_of_a_person_needs_the_name_of_the_bot(
    say: Say, text: str, arguments: dict[str, str]
) -> None:
    language = "zh" if not text.isascii() else "en"

    assert [call.arguments for call in say(text, language=language, is_addressed=True).calls] == [arguments]
    assert say(text, language=language).calls == ()


@pytest.mark.parametrize("text", ["everything Bob said is true", "what he said was funny", "今天的总结会取消了"])
def test_talk_about_messages_requests_no_summary(say: Say, text: str) -> None:
    assert say(text, language="zh" if not text.isascii() else "en").calls == ()


SCHEDULE = ToolSpec(
    name="summary_schedule",
    description="",
    parameters={"properties": {"type": {}, "time": {}, "weekday": {}, "rrule": {}}},
)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("post a summary every day at 18:00", {"type": "daily", "time": "18:00"}),
        ("send us a recap every friday at 5pm", {"type": "weekly", "time": "17:00", "weekday": 4}),
        ("every monday at 9am post a summary of the week", {"type": "weekly", "time": "09:00", "weekday": 0}),
        ("daily digest at 8pm", {"type": "daily", "time": "20:00"}),
        ("每周五下午五点总结一下群聊", {"type": "weekly", "time": "17:00", "weekday": 4}),
    ],
)
def test_request_for_regular_summaries_schedules_them(say: Say, text: str, arguments: dict[str, object]) -> None:
    calls = say(text, language="zh" if not text.isascii() else "en", tools=(*TOOLS, SCHEDULE)).calls

    assert [(call.name, call.arguments) for call in calls] == [("summary_schedule", arguments)]


@pytest.mark.parametrize("text", ["summarize since 9:00", "总结今天上午九点到十点的聊天"])
def test_period_in_the_past_is_summarised_at_once(say: Say, text: str) -> None:
    calls = say(text, language="zh" if not text.isascii() else "en", tools=(*TOOLS, SCHEDULE)).calls

    assert [call.name for call in calls] == ["summary"]


def test_reminder_to_write_a_summary_is_no_summary(say: Say) -> None:
    calls = say("每天下午六点提醒我写总结", language="zh", tools=(*TOOLS, SCHEDULE)).calls

    assert [call.name for call in calls] == ["reminder_set"]


@pytest.mark.parametrize(
    "text",
    [
        "can you set reminders?",
        "do you support recurring reminders?",
        "你会设提醒吗",
        "支持重复提醒吗",
    ],
)
def test_question_about_abilities_is_answered_with_instructions(say: Say, text: str) -> None:
    language = "zh" if not text.isascii() else "en"

    heard = say(text, language=language, is_addressed=True)

    assert heard.calls == ()
    assert heard.answer.startswith((explained(language, "how.set"), explained(language, "offline.help")))


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("五点的提醒取消", "五点"),
        ("洗衣服的提醒删掉吧", "洗衣服"),
        ("drop the gym one", "gym"),
    ],
)
def test_reference_may_precede_the_verb_of_a_deletion(say: Say, text: str, reference: str) -> None:
    (call,) = say(text, is_addressed=True).calls

    assert (call.name, call.arguments["reminder_id"]) == ("reminder_delete", reference)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("what happened here today?", "today"),
        ("中午以来聊了啥", "中午以来"),
        ("what's been said since 2pm", "since 2pm"),
        ("give me the highlights of yesterday", "yesterday"),
        ("给我看看昨天的要点", "昨天"),
    ],
)
def test_messages_since_a_time_are_summarised(say: Say, text: str, window: str) -> None:
    (call,) = say(text, is_addressed=True).calls

    assert (call.name, call.arguments["window"]) == ("summary", window)


@pytest.mark.parametrize("text", ["team lunch on friday at 12:30", "lunch friday 12:30", "book club thursday 7:30pm"])
def test_addressed_event_with_a_time_is_a_reminder_and_no_search(say: Say, text: str) -> None:
    assert [call.name for call in say(text, is_addressed=True).calls] == ["reminder_set"]


@pytest.mark.parametrize(
    "text",
    [
        "am i forgetting something?",
        "今天要做什么",
        "房租的提醒是几号",
        "一共几个提醒",
        "鹦鹉的提醒几点",
        "哪些提醒是重复的",
    ],
)
def test_question_about_duties_lists_the_reminders(say: Say, text: str) -> None:
    assert [call.name for call in say(text, is_addressed=True).calls] == ["reminder_list"]


@pytest.mark.parametrize("text", ["in an hour", "一小时后"])
def test_duration_alone_snoozes_the_sent_reminder(say: Say, text: str) -> None:
    snooze = ToolSpec(name="reminder_snooze", description="", parameters={"properties": {"time": {}}})

    heard = say(text, delivered="call mum", tools=(*TOOLS, snooze))

    assert [call.name for call in heard.calls] == ["reminder_snooze"]
    assert say(text, tools=(*TOOLS, snooze)).calls == ()


@pytest.mark.parametrize(
    "text", ["亲爱的，今晚九点提醒我关灯好吗？", "能取消比赛的提醒吗", "could you ever remind me of stuff like that?"]
)
def test_message_about_reminders_is_not_searched_on_the_web(say: Say, text: str) -> None:
    language = "zh" if not text.isascii() else "en"

    assert "perplexity_search" not in {call.name for call in say(text, language=language, is_addressed=True).calls}
