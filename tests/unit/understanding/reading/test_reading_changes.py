"""Calls made from tagged requests about existing reminders."""

import pytest

from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.reminder_words import replace_amount
from function_calls.understanding.reading.segments.remarks import drop_remarks
from tests.unit.understanding.tagged_sentences import arguments_of, interpret_tagged, read_tagged

EVERY_DAY = {"type": "daily", "time": "09:00", "content": "call tim"}


@pytest.mark.parametrize(
    ("sentence", "language", "changed"),
    [
        ("move {REF:the ferns} to {WHEN:6pm}", "en", {"time": "18:00", "reminder_id": "ferns"}),
        ("make {REF:it} {WHEN:6:30}", "en", {"time": "at 6:30", "reminder_id": "it"}),
        ("make {REF:it} {WHEN:half six}", "en", {"time": "at half six", "reminder_id": "it"}),
        ("change {WHEN:5pm to 6pm}", "en", {"time": "18:00", "reminder_id": "5pm"}),
        ("move {REF:2} {WHEN:from 5pm to 6pm}", "en", {"time": "18:00", "reminder_id": "2"}),
        (
            "move {REF:yoga} {WHEN:from Thursday to Friday}",
            "en",
            {"time": "2026-11-27", "occurrence": "Thursday", "reminder_id": "yoga"},
        ),
        ("{WHEN:7pm}, not {OLD:6pm}", "en", {"time": "19:00", "reminder_id": "it"}),
        ("不是{OLD:五点}，是{WHEN:晚上六点}", "zh", {"time": "18:00", "reminder_id": "it"}),
        ("{OLD:三点}的提醒推到{WHEN:下午四点}", "zh", {"time": "16:00", "reminder_id": "三点"}),
        ("{WHEN:20 minutes} sooner", "en", {"time": "-0:20", "reminder_id": "it"}),
        ("两个都推迟{LATER:一小时}", "zh", {"time": "+1:00", "reminder_id": "both"}),
        ("她说八点要看剧，{REF:视频}改{EARLIER:早一个钟}", "zh", {"time": "-1:00", "reminder_id": "视频"}),
        ("开本推到7点半了，{REF:静音}顺延{LATER:半小时}", "zh", {"time": "+0:30", "reminder_id": "静音"}),
        ("move {REF:1 and 3} to {WHEN:9pm}", "en", {"time": "21:00", "reminder_id": "1, 3"}),
    ],
)
def test_time_is_changed(sentence, language, changed):
    assert arguments_of(sentence, "move", language) == [changed]


@pytest.mark.parametrize(
    ("text", "amount", "changed"),
    [
        ("buy 2 boxes of nails", "3 boxes", "buy 3 boxes of nails"),
        ("buy 1 box of nails", "3 boxes", "buy 3 boxes of nails"),
        ("bring £5", "£6.50", "bring £6.50"),
        ("跳绳200个", "150个", "跳绳150个"),
        ("带2本书和3支笔", "4支", "带2本书和4支笔"),
        ("print 20 copies", "35", "print 35 copies"),
        ("room 4 at 20", "5", ""),
        ("buy 2 boxes", "3 kilos", ""),
        ("buy 2 boxes", "the blue ones", ""),
    ],
)
def test_amount_replaces_the_only_one_of_its_unit(text, amount, changed):
    assert replace_amount(text, amount) == changed


def test_bare_figure_behind_an_amount_is_minutes():
    in_a_quarter = {"type": "once", "time": "2026-11-24 10:15", "content": "move the car"}

    assert arguments_of("no wait {WHEN:20}", "move", last_set=in_a_quarter)[0]["time"] == "2026-11-24 10:20"


@pytest.mark.parametrize(
    ("sentence", "language", "references"),
    [
        ("delete {REF:the milk one}", "en", ["milk"]),
        ("delete {REF:2, 4 and 5}", "en", ["2", "4", "5"]),
        ("delete {REF:reminders 1 to 3}", "en", ["1", "2", "3"]),
        ("删除{REF:第一个和第三个}", "zh", ["1", "3"]),
        ("delete everything {WHEN:for tomorrow}", "en", ["all tomorrow"]),
        ("{OLD:后天}的{REF:全}取消", "zh", ["all 后天"]),
        ("delete {OLD:tomorrow's} reminders", "en", ["all tomorrow"]),
        ("把{REF:所有关于喝水}的提醒取消", "zh", ["all 喝水"]),
        ("delete {REF:all} but {SPARED:the dentist}", "en", ["all except dentist"]),
        ("cancel both of them", "en", ["both"]),
        ("cancel the one i just made", "en", ["last"]),
        ("cancel the dentist", "en", ["dentist"]),
        ("cancel reminder cbf5eq", "en", ["cbf5eq"]),
        ("cancel {REF:the} {OLD:Monday} {REF:review}", "en", ["Monday review"]),
        ("刪除{REF:第二個提醒}", "zh", ["2"]),
        ("cancel {REF:it}", "en", ["it"]),
        ("把{OLD:下午三点}的{REF:那个}删掉", "zh", ["下午三点"]),
    ],
)
def test_reminders_to_delete_are_named_as_handlers_know_them(sentence, language, references):
    assert [each["reminder_id"] for each in arguments_of(sentence, "delete", language)] == references


@pytest.mark.parametrize("sentence", ["delete a reminder", "delete {REF:a reminder}"])
def test_deletion_without_a_name_is_asked_about(sentence):
    assert interpret_tagged(sentence, "delete", may_point=True).answer.startswith("Which reminder?")


@pytest.mark.parametrize(
    ("sentence", "intent", "changed"),
    [
        ("not {WHEN:on sunday}", "skip", {"skip": "sunday", "days": "-sunday"}),
        ("skip {REF:the standup} {WHEN:on monday}", "skip", {"skip": "monday", "reminder_id": "standup"}),
        ("not {WHEN:on fridays}", "skip", {"days": "-fridays"}),
        ("only {WHEN:on weekdays}", "keep_days", {"days": "weekdays", "reminder_id": "it"}),
        ("also {WHEN:on saturday}", "add_days", {"days": "+saturday", "reminder_id": "it"}),
        ("until {UNTIL:5 december}", "until", {"until": "5 december", "reminder_id": "it"}),
        ("stop {REF:it} after {UNTIL:three times}", "until", {"times": 3, "reminder_id": "it"}),
        ("stop {REF:the door} {FROM:from tomorrow} on", "until", {"until": "2026-11-24", "reminder_id": "door"}),
        ("just once", "once", {"type": "once", "reminder_id": "it"}),
        ("make {REF:it} urgent", "urgent", {"urgent": True, "reminder_id": "it"}),
        ("{REF:it} isn't urgent", "not_urgent", {"urgent": False, "reminder_id": "it"}),
        ("nag me {WHEN:every 5 minutes}", "nag", {"until_done": 5, "reminder_id": "it"}),
        ("catch up on everything for {REF:reminder 1}", "catch_up_all", {"missed": "all", "reminder_id": "1"}),
        ("make {REF:it} {CONTENT:recycling} instead", "reword", {"content": "recycling", "reminder_id": "it"}),
        ("{CONTENT:jim}, not {REF:tim}", "reword", {"content": "call jim", "reminder_id": "it"}),
        ("and add {CONTENT:the eggs}", "append", {"added": "the eggs", "reminder_id": "it"}),
        ("remind {PERSON:bob} too", "person_add", {"person": "+bob", "reminder_id": "it"}),
    ],
)
def test_reminder_is_changed(sentence, intent, changed):
    assert arguments_of(sentence, intent, last_set=EVERY_DAY) == [changed]


@pytest.mark.parametrize(
    ("sentence", "intent", "expected"),
    [
        ("list my reminders {WHEN:for tomorrow}", "list", {"filter": "tomorrow", "whose": "mine"}),
        ("show {PERSON:everyone's} reminders", "list", {"whose": "chat"}),
        ("who set {REF:the rent reminder}", "who_set", {"filter": "rent", "who_set": True}),
        ("next page", "next_page", {"page": 0}),
        ("snooze {WHEN:5}", "snooze", {"time": "5 minutes"}),
        ("snooze everything until {WHEN:6pm}", "snooze", {"reminder_id": "all", "time": "18:00"}),
        (
            "pause all my reminders until {WHEN:friday}",
            "pause",
            {"action": "pause", "reminder_id": "all", "until": "friday"},
        ),
        (
            "pause everything until I'm back {WHEN:on Monday}",
            "pause",
            {"action": "pause", "reminder_id": "all", "until": "on Monday"},
        ),
        ("summarize since {WHEN:noon}", "summary", {"window": "since noon"}),
        ("weekly summary {WHEN:at 6pm}", "summary_schedule", {"type": "weekly", "time": "18:00", "weekday": 1}),
        ("set the whole {CHAT:chat} to {ZONE:Tokyo}", "zone", {"zone": "Tokyo", "whose": "chat"}),
    ],
)
def test_other_request_makes_its_call(sentence, intent, expected):
    assert arguments_of(sentence, intent) == [expected]


def test_clock_times_of_several_places_are_answered():
    answer = interpret_tagged("what time is it in {ZONE:New York} and {ZONE:London}", "time_now").answer

    assert [line.split()[2] for line in answer.splitlines()] == ["05:00", "10:00"]


@pytest.mark.parametrize(
    ("sentence", "language", "day"),
    [
        ("also move {OLD:friday's} to {WHEN:10:30am}", "en", "friday"),
        ("{OLD:周五}的改到{WHEN:上午十点半}", "zh", "周五"),
    ],
)
def test_day_of_the_last_reminder_is_one_occurrence(sentence, language, day):
    (made,) = arguments_of(sentence, "move", language, last_set=EVERY_DAY, may_point=True)

    assert made["occurrence"] == day


def test_words_of_a_sentence_are_compared_in_their_order():
    # With most hash seeds the words of a set come in another order: 啱先 is no known phrase, 先啱 is.
    reading = read_tagged("唔係，{WHEN:九點半}先啱", "move", "zh")

    def classify(tokens):
        return (("none", 0.99),) if tokens[0].start == 0 else (("move", 0.95), ("none", 0.05))

    found = drop_remarks(reading, load_lexicon("zh"), classify, lambda text: read_tagged(text, "move", "zh"))

    assert found.text == reading.text
