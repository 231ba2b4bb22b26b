"""Questions about missing or ambiguous parts of a request, and the answers to them."""

from datetime import timedelta

import pytest

from function_calls.tools.calls import Interpretation
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions
from tests.unit.understanding.conftest import NOW, Say


def answer_after_question(say: Say, answer: str) -> Interpretation:
    """Return the interpretation of `answer` to the question which six o'clock of tomorrow is meant."""
    language = "en" if answer.isascii() else "zh"
    say("remind me tomorrow at 6 to call" if language == "en" else "提醒我明天六点打电话", language=language)
    return say(answer, language=language)


def test_missing_time_is_asked_for_in_the_language_of_the_person(say: Say) -> None:
    asked = say("提醒我买酒", language="zh")

    assert asked.calls == ()
    assert "买酒" in asked.answer
    assert "什么时候" in asked.answer


def test_next_message_may_give_the_time(say: Say) -> None:
    say("remind me to buy wine")

    (call,) = say("tomorrow at 5").calls

    assert call.arguments == {"type": "once", "time": "2026-03-05 17:00", "content": "buy wine"}


def test_next_message_may_give_time_and_content(say: Say) -> None:
    say("设个提醒", language="zh")

    (call,) = say("明天九点打电话给小安", language="zh").calls

    assert (call.arguments["time"], call.arguments["content"]) == ("2026-03-05 09:00", "打电话给小安")


def test_question_is_forgotten_after_other_talk(say: Say) -> None:
    say("remind me to buy wine")
    say("lol ok")

    assert say("tomorrow at 5").calls == ()


def test_another_person_cannot_answer(say: Say) -> None:
    say("remind me to buy wine", sender="ann")

    assert say("tomorrow at 5", sender="bob").calls == ()


def test_an_answer_in_another_chat_is_no_answer(say: Say) -> None:
    say("remind me to buy wine", chat="home")

    assert say("tomorrow at 5", chat="work").calls == ()


def test_an_old_question_is_forgotten(say: Say) -> None:
    say("remind me to buy wine")

    assert say("tomorrow at 5", now=NOW + timedelta(minutes=11)).calls == ()


def test_question_is_dropped_by_never_mind(say: Say) -> None:
    say("remind me to buy wine")
    dropped = say("never mind")

    assert (dropped.calls, bool(dropped.answer)) == ((), True)
    assert say("tomorrow at 5").calls == ()


@pytest.mark.parametrize(
    ("text", "tools"), [("you can drop that one, the boxes are here", ["reminder_delete"]), ("drop that one", [])]
)
def test_dropping_a_named_reminder_deletes_it(say: Say, text: str, tools: list[str]) -> None:
    say("remind me to defrost the freezer", known=("order boxes",))

    dropped = say(f"bubbles, {text}", known=("order boxes",), is_addressed=True)

    assert [call.name for call in dropped.calls] == tools


def test_readings_of_an_ambiguous_date_are_numbered(say: Say) -> None:
    asked = say("remind me on 5/6 at noon to pay")

    assert asked.calls == ()
    assert "1. Wednesday 6 May at 12:00" in asked.answer
    assert "2. Friday 5 June at 12:00" in asked.answer


@pytest.mark.parametrize("answer", ["2", "second", "the second one", "5 June at 12:00"])
def test_answer_may_be_a_number_or_words(say: Say, answer: str) -> None:
    say("remind me on 5/6 at noon to pay")

    (call,) = say(answer).calls

    assert (call.arguments["time"], call.arguments["content"]) == ("2026-06-05 12:00", "pay")


def test_choice_of_a_reminder_to_delete_is_asked_for(say: Say) -> None:
    asked = say("删除提醒", language="zh")
    (call,) = say("第二个", language="zh").calls

    assert asked.calls == ()
    assert call.arguments == {"reminder_id": "2"}


def test_number_of_open_questions_is_limited() -> None:
    questions = OpenQuestions(limit=2)
    for key in ("first", "second", "third"):
        questions.ask(key, OpenQuestion(asks="time"), NOW)

    assert questions.take("first", NOW) is None
    assert questions.take("third", NOW) is not None


def test_a_question_is_answered_once() -> None:
    questions = OpenQuestions()
    questions.ask("ann", OpenQuestion(asks="time"), NOW)
    questions.take("ann", NOW)

    assert questions.take("ann", NOW) is None


def test_clear_request_is_done_and_unclear_request_asked_about(say: Say) -> None:
    heard = say("remind me in 90 seconds to check the oven, and tomorrow at 6 to take out the trash")

    assert [call.arguments["content"] for call in heard.calls] == ["check the oven"]
    assert "take out the trash" in heard.notice


def test_question_has_a_button_for_each_answer(say: Say) -> None:
    choices = say("remind me tomorrow at 6 to cook").choices

    (call,) = say(choices[1].says).calls

    assert choices[1].label == "tomorrow at 18:00"
    assert call.arguments["time"] == "2026-03-05 18:00"


def test_the_next_question_follows_the_answer_to_the_first(say: Say) -> None:
    say("remind me tomorrow at 6 to call mum and on saturday at 6 to cook")

    answered = say("1")

    assert [call.arguments["content"] for call in answered.calls] == ["call mum"]
    assert "cook" in answered.notice
    assert [call.arguments["content"] for call in say("2").calls] == ["cook"]


def test_complete_request_beside_an_incomplete_one_is_done(say: Say) -> None:
    heard = say("list my reminders and remind me to buy wine")

    assert [call.name for call in heard.calls] == ["reminder_list"]
    assert "buy wine" in heard.notice


@pytest.mark.parametrize("text", ["alarm at 5:30 tomorrow", "明天五点半闹钟"])
def test_ambiguous_hour_of_an_alarm_may_be_in_the_morning(say: Say, text: str) -> None:
    asked = say(text)

    (call,) = say("1").calls

    assert asked.calls == ()
    assert call.arguments["time"] == "2026-03-05 05:30"


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("remind me tomorrow at 7 to sign the slip", "2026-03-05 07:00"),
        ("remind me tomorrow at 6:45 to empty the kiln", "2026-03-05 06:45"),
        ("remind me tomorrow at 7 about the dinner with Sam", "2026-03-05 19:00"),
        ("提醒我明天八点交表", "2026-03-05 08:00"),
        ("提醒我明天七点聚餐", "2026-03-05 19:00"),
    ],
)
def test_ambiguous_hour_of_another_day_is_in_the_usual_half_of_the_day(say: Say, text: str, time: str) -> None:
    (call,) = say(text, language="en" if text.isascii() else "zh").calls

    assert call.arguments["time"] == time


@pytest.mark.parametrize(("hour", "time"), [(2, "2026-03-04 04:15"), (5, "2026-03-04 16:15"), (10, "2026-03-04 16:15")])
def test_bare_hour_at_night_is_the_next_one(say: Say, hour: int, time: str) -> None:
    (call,) = say("remind me at 4:15 to feed the starter", now=NOW.replace(hour=hour)).calls

    assert call.arguments["time"] == time


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("remind the three of us tomorrow at 9am to inspect the hives", "en"),
        ("明天上午九点提醒我们三个交表", "zh"),
        ("recuérdanos a los tres mañana a las 9:30 traer la caja", "es"),
    ],
)
def test_a_counted_group_is_everyone(say: Say, text: str, language: str) -> None:
    (call,) = say(text, language=language).calls

    assert call.arguments["person"] == "everyone"


@pytest.mark.parametrize("text", ["set an alarm for 6am tomorrow", "set a 10 minute alarm", "设闹钟下午6点半"])
def test_alarm_with_a_clear_hour_is_set(say: Say, text: str) -> None:
    assert len(say(text).calls) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "at 6pm thanks",
        "um, 6pm",
        "make it 6pm",
        "let's say 6pm",
        "how about 6pm",
        "6pm would be great",
        "6pm works for me",
        "6",
        "no, 6pm",
        "晚上六点吧",
        "就晚上六点",
        "那就晚上六点好了",
        "嗯，晚上六点",
        "晚上六点可以吗",
    ],
)
def test_answer_with_words_around_its_time_is_read(say: Say, answer: str) -> None:
    language = "en" if answer.isascii() else "zh"
    say("remind me to buy wine" if answer.isascii() else "提醒我买酒", language=language)

    (call,) = say(answer, language=language).calls

    assert (call.name, call.arguments["time"]) == ("reminder_set", "2026-03-04 18:00")


@pytest.mark.parametrize(
    "answer",
    [
        "#2",
        "2 please",
        "number two",
        "hmm 2",
        "the second option",
        "２",
        "②",
        "the later one",
        "tomorrow evening",
        "2吧",
        "我选2",
        "第2个吧",
        "晚上的那个",
        "晚上吧",
        "明晚",
        "晚的",
        "2，谢谢",
    ],
)
def test_option_is_chosen_by_number_time_or_part_of_the_day(say: Say, answer: str) -> None:
    chosen = answer_after_question(say, answer)

    assert [call.arguments["time"] for call in chosen.calls] == ["2026-03-05 18:00"]


@pytest.mark.parametrize("answer", ["6", "at 6", "6点", "六点"])
def test_unclear_answer_is_asked_again(say: Say, answer: str) -> None:
    language = "zh" if "点" in answer or not answer.isascii() else "en"
    asked = say("remind me tomorrow at 6 to call" if language == "en" else "提醒我明天六点打电话", language=language)

    again = say(answer, language=language)
    (call,) = say("2", language=language).calls

    assert (again.calls, again.answer) == ((), asked.answer)
    assert call.arguments["time"] == "2026-03-05 18:00"


@pytest.mark.parametrize("answer", ["both", "两个都要"])
def test_both_options_may_be_chosen(say: Say, answer: str) -> None:
    calls = answer_after_question(say, answer).calls

    assert [call.arguments["time"] for call in calls] == ["2026-03-05 06:00", "2026-03-05 18:00"]


@pytest.mark.parametrize(
    "answer", ["9pm instead", "neither, 9pm", "no, at 9pm", "make it 9pm", "都不是，晚上九点", "改成晚上九点"]
)
def test_other_time_in_an_answer_is_on_the_offered_day(say: Say, answer: str) -> None:
    (call,) = answer_after_question(say, answer).calls

    assert call.arguments["time"] == "2026-03-05 21:00"


@pytest.mark.parametrize(
    "answer",
    [
        "no one",
        "not 2",
        "not the first",
        "the one",
        "maybe later",
        "see you at 9pm",
        "i'm at work till 9pm",
        "see you at 8pm",
        "lunch at 12?",
        "不是2",
        "不要1",
        "晚点",
        "晚点再说",
        "我八点下班",
        "八点见",
        "不是八点",
    ],
)
def test_message_to_others_chooses_nothing(say: Say, answer: str) -> None:
    heard = answer_after_question(say, answer)

    assert (heard.calls, heard.answer) == ((), "")


@pytest.mark.parametrize(
    ("asks", "what", "when"), [("set a reminder", "buy wine", "6pm"), ("设个提醒", "买酒", "晚上六点")]
)
def test_content_and_time_may_follow_in_two_messages(say: Say, asks: str, what: str, when: str) -> None:
    language = "en" if asks.isascii() else "zh"
    say(asks, language=language)

    asked = say(what, language=language)
    (call,) = say(when, language=language).calls

    assert what in asked.answer
    assert (call.arguments["time"], call.arguments["content"]) == ("2026-03-04 18:00", what)


def test_chat_after_a_question_is_no_content(say: Say) -> None:
    say("set a reminder")

    assert say("lol what a day").answer == ""


@pytest.mark.parametrize(
    ("asks", "answer", "time"),
    [
        ("remind me the night before the exam to pack my bag", "exam's on 14 march", "2026-03-13 21:00"),
        ("remind me the night before the exam to pack my bag", "14 march", "2026-03-13 21:00"),
        ("remind me at 8pm the day before the trip to pack", "the trip is on 14 march", "2026-03-13 20:00"),
        ("remind me an hour before the meeting to print", "the meeting's tomorrow at 3pm", "2026-03-05 14:00"),
        ("remind me a day before my birthday to bake", "my birthday is 14 march", "2026-03-13 09:00"),
        ("remind me the day before the big match to pack", "match is on saturday", "2026-03-06 09:00"),
        ("remind me the day before the gala dinner to iron", "the gala's on 14 march", "2026-03-13 09:00"),
        ("考试前一晚提醒我带学生证", "考试是14号", "2026-03-13 19:00"),
        ("开会前十分钟提醒我打印", "明天下午三点开会", "2026-03-05 14:50"),
        ("recuérdame la noche antes del examen repasar", "el examen es el 14 de marzo", "2026-03-13 21:00"),
    ],
)
def test_reminder_counts_back_from_the_event_of_the_answer(say: Say, asks: str, answer: str, time: str) -> None:
    language = "es" if asks.startswith("rec") else "en" if asks.isascii() else "zh"
    asked = say(asks, language=language)

    (call,) = say(answer, language=language).calls

    assert asked.calls == ()
    assert call.arguments["time"] == time


@pytest.mark.parametrize("text", ["the exam was hard", "sam is back on 14 march"])
def test_remark_about_the_event_does_not_tell_its_time(say: Say, text: str) -> None:
    say("remind me the night before the exam to pack my bag")

    assert say(text).calls == ()


@pytest.mark.parametrize(
    ("asks", "answer", "time", "content"),
    [
        ("remind me tomorrow after drop off to check lost property", "9am", "2026-03-05 09:00", "check lost property"),
        ("remind me tomorrow after drop off to check lost property", "at 9", "2026-03-05 09:00", "check lost property"),
        ("remind me friday before the match to wash the kit", "in the evening", "2026-03-06 19:00", "wash the kit"),
        ("remind me friday before the match to wash the kit", "saturday at 1pm", "2026-03-07 13:00", "wash the kit"),
        ("周五开完会提醒我交表", "下午四点", "2026-03-06 16:00", "交表"),
        ("recuérdame mañana después de clase comprar pan", "a las 17:00", "2026-03-05 17:00", "comprar pan"),
    ],
)
def test_day_of_an_event_without_a_known_time_is_kept(
    say: Say, asks: str, answer: str, time: str, content: str
) -> None:
    language = "es" if asks.startswith("rec") else "en" if asks.isascii() else "zh"
    asked = say(asks, language=language)

    (call,) = say(answer, language=language).calls

    assert asked.calls == ()
    assert (call.arguments["time"], call.arguments["content"]) == (time, content)
