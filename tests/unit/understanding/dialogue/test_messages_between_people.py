"""Messages between people, which request nothing of the bot."""

import pytest

from tests.unit.understanding.conftest import Say

CHAT = [
    "that reminds me of a song",
    "老师提醒我要交实验报告",
    "妈妈每天早上七点提醒我吃早饭",
    "昨天他提醒我了",
    "谢谢提醒",
    "你艾特我了？为什么我没提醒",
    "see you tomorrow at 5",
    "明天晚上下班了一定去看",
    "I would like to remind members to direct questions through the chair.",
    "remind me what we decided?",
    "he said he'd remind me at 5",
    "I told you to remind me yesterday",
    "提醒功能坏了",
    "what's the weather like",
    "google is your friend",
    "搜一下就知道了",
    "did anyone set a reminder for the party?",
    "Reminder: standup tomorrow at 3",
    "我建议把发布推迟到周四。",
    '"remind me at 5 to call mum" is what I typed yesterday',
    "I wrote 'remind me tomorrow at 9' and nothing happened",
    "```remind me at 5pm to stretch```",
    "she said: remind me at 6 to leave",
    "why didn't you remind me yesterday?",
    "you don't need to remind me every day",
    "do you guys use reminders for standup?",
    "what's due today?",
    "delete that photo of me",
    "remind me never to do that again",
    "he set a reminder for 5",
    "was your reminder for 5 or 6?",
    "which reminder app do you guys like?",
    "search party meets at 6",
    "“明天九点提醒我”没反应啊",
    "`五点提醒我做饭`",
    "你不用每天提醒我",
    "提醒又在凌晨三点响了",
    "闹钟五点就响了，困死",
    "我不小心把提醒全删了",
    "汤姆，你能提醒我周五我们说好了什么吗",
    "你搜抽屉了吗",
    "提醒我以后再也别干这事了",
    "搜身",
    "明天有什么安排？",
    "he has to remind me to call bob at 5",
    "my boss has to remind me every day",
    "bob deleted the reminder for tomorrow",
    "should we set a reminder for 5?",
    "did you cancel the 5pm reminder?",
    "who will delete the reminder?",
    "how do reminders work on iphone?",
    "all my reminders are gone",
    "please stop reminding me how old i am",
    "look up at the sky at 9 tonight",
    "don't disturb me tomorrow",
    "谁把提醒删了",
    "要不要把提醒删了",
    "他昨天把提醒删了",
    "为什么不设个提醒",
    "他每天提醒我",
    "小王每天提醒我",
    "@小明 明天提醒我",
    "gentle reminder to fill in the form by 5pm",
    "my reminders app is broken",
    "I told Alexa to remind me at 5",
    "just set a reminder on your phone",
    "让小明五点提醒我",
    "i need a better reminder system",
    "per my reminder yesterday",
    "could you remind me of your address?",
    "may i remind everyone that smoking is forbidden",
    "can anyone remind me what time we start tomorrow?",
    "who can remind me tomorrow at 9?",
    "google calendar reminder: dentist 10am",
    "你可以设个提醒",
    "小王你五点提醒我",
    "提醒我你名字怎么写",
    "提醒我今晚谁来",
    "remember to vote on tuesday everyone",
    "who needs reminders when you have kids",
    "is there a way to get reminders on the phone?",
    "do you support iphones",
    "提醒我为什么要雇他",
    "提醒我你叫什么来着",
    "我给你提个醒，明天放假",
    "给大家提个醒明天放假",
    "ugh i miss summer",
    "so much happened while i was asleep lol",
    "sorry i missed your call",
    "guess what i missed. the last train!",
    "what did i miss in maths yesterday",
    "我漏了一条消息",
    "昨天我不在，他们说了算",
    "明天九点敲我",
    "lol",
    "",
    "…",
]
TAKEN_BACK = [
    "remind me tomorrow at 9 to stretch. never mind",
    "remind me at 5 to cook, actually forget it",
    "明天九点提醒我开会…算了，不用设了",
    "提醒我八点吃药，不用了",
]


@pytest.mark.parametrize("text", CHAT)
def test_message_between_people_gets_no_call_and_no_answer(say: Say, text: str) -> None:
    heard = say(text)

    assert (heard.calls, heard.answer) == ((), "")


@pytest.mark.parametrize("text", TAKEN_BACK)
def test_retracted_request_gets_no_call_and_no_answer(say: Say, text: str) -> None:
    heard = say(text)

    assert (heard.calls, heard.answer) == ((), "")


@pytest.mark.parametrize("text", ["don't remind me", "不要提醒我"])
def test_refusal_sets_nothing(say: Say, text: str) -> None:
    assert say(text, is_addressed=True).calls == ()


@pytest.mark.parametrize(
    "text",
    [
        "can I delete my reminders?",
    ],
)
def test_question_about_the_possibility_of_deletion_deletes_nothing(say: Say, text: str) -> None:
    assert "reminder_delete" not in {call.name for call in say(f"Bubbles, {text}").calls}


def test_a_very_long_message_is_no_request(say: Say) -> None:
    assert say("remind me at 5 to " + "call " * 200).calls == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("bubbles got me out of bed all summer tbh", "en"),
        ("bubbles reminded me about the dentist at 8", "en"),
        ("bubbles keeps waking me up at 6", "en"),
        ("bubbles wakes me up every day at 7", "en"),
        ("bubbles's got your back", "en"),
        ("bubbles is our reminder bot btw", "en"),
        ("welcome fitz! bubbles is our reminder bot btw", "en"),
        ("Bubbles昨天叫醒了我", "zh"),
        ("Bubbles是我们的提醒机器人", "zh"),
        ("欢迎小文！Bubbles是群里的提醒机器人", "zh"),
        ("Bubbles都比你自律", "zh"),
        ("Bubbles也比闹钟管用", "zh"),
        ("Bubbles真准时", "zh"),
        ("Bubbles太靠谱了", "zh"),
        ("Bubbles even is more disciplined than you", "en"),
        ("Bubbles still has more discipline than you", "en"),
        ("Bubbles también tiene más paciencia que tú", "es"),
        ("Bubbles es nuestro bot de recordatorios", "es"),
        ("Bubbles se olvidó de mi cita a las 5", "es"),
        ("Bubbles deleted my reminder", "en"),
        ("bubbles skipped our reminder again", "en"),
    ],
)
def test_statement_about_the_bot_is_left_alone(say: Say, text: str, language: str) -> None:
    heard = say(text, language=language, is_addressed=text.casefold().startswith("bubbles"), known=("dentist",))

    assert (heard.calls, heard.answer) == ((), "")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Bubbles got any reminders for me?", "en"),
        ("Bubbles put the dentist at 6", "en"),
        ("Bubbles set a reminder for 5pm to call mum", "en"),
        ("Bubbles can you move the dentist to 6", "en"),
        ("Bubbles, got me down for the dentist?", "en"),
        ("Bubbles is the dentist reminder still on", "en"),
        ("Bubbles was the dentist one at 5 or 6", "en"),
        ("Bubbles let me know at 5 to call mum", "en"),
        ("@Bubbles is the dentist reminder still on", "en"),
        ("Bubbles是谁设的dentist", "zh"),
        ("Bubbles会提醒我吗？", "zh"),
        ("Bubbles比赛那天早上八点提醒我带球鞋", "zh"),
        ("Bubbles太早了，改成八点", "zh"),
        ("Bubbles也提醒我一下dentist", "zh"),
        ("Bubbles still is the dentist reminder on", "en"),
        ("Bubbles también es hoy el recordatorio de dentist?", "es"),
        ("Bubbles me recuerdas a las 5 llamar a mi madre", "es"),
    ],
)
def test_request_after_the_name_of_the_bot_is_answered(say: Say, text: str, language: str) -> None:
    heard = say(text, language=language, is_addressed=True, known=("dentist",))

    assert heard.calls or heard.answer


@pytest.mark.parametrize(
    ("text", "is_request"),
    [
        ("i'm looking for an app that reminds me to drink water every day", False),
        ("remind me at 7pm to look for an app", True),
        ("我想找个能每天提醒我喝水的软件", False),
        ("有没有好心人半小时后叫我下楼拿快递", False),
        ("半小时后提醒我找个背单词的软件", True),
    ],
)
def test_reminder_sought_from_others_is_not_set(say: Say, text: str, *, is_request: bool) -> None:
    heard = say(text, language="en" if text.isascii() else "zh")

    assert [call.name for call in heard.calls] == ["reminder_set"] * is_request
