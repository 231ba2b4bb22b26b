"""Scores of messages of conversations."""

from datetime import datetime

import msgspec
import pytest

from benchmarks.evaluation.conversation_cases import OWN_CONVERSATIONS, load_conversations
from benchmarks.evaluation.conversation_scores import Comparison, Difference, decide_verdict
from benchmarks.evaluation.expected_times import ReminderState

ZONE = "Europe/London"
NOW = datetime(2026, 11, 23, 10)


def reminder(content="call mum", *times, **fields):
    data = {"id": content, "content": content, "for": ["ann"], "occurrences": list(times), **fields}
    return msgspec.convert(data, ReminderState)


MUM = reminder("call mum", "2026-11-24T09:00:00+00:00")
WEEKLY = reminder("bins", *(f"2026-{day}T08:00:00+00:00" for day in ("11-27", "12-04", "12-11")), rrule="FREQ=WEEKLY")
WANTED = {"content": "call mum", "at": "2026-11-24T09:00", "rrule": None, "for": "me"}


def judge_changes(expect, before, after, *, replies=("Done.",), kind="set"):
    difference = Difference(before, after, ZONE, NOW)
    results = [Comparison(difference, "Ann", ()).compare(each) for each in expect]
    return decide_verdict(expect, kind, replies, results, difference)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (WANTED, "right"),
        ({**WANTED, "content": "call *"}, "right"),
        ({**WANTED, "at": "2026-11-24"}, "right"),
        ({**WANTED, "at": ["2026-11-25", "2026-11-24T08:30/2026-11-24T10:00"]}, "right"),
        ({**WANTED, "at": "2026-11-24T10:00"}, "wrong-harmful"),
        ({**WANTED, "content": "call dad"}, "wrong-harmful"),
        ({**WANTED, "for": "everyone"}, "wrong-harmful"),
        ({**WANTED, "rrule": "FREQ=DAILY"}, "wrong-harmful"),
    ],
)
def test_a_new_reminder_is_compared_with_the_wanted_one(wanted, expected):
    assert judge_changes([{"set": [wanted]}], [], [MUM]) == expected


def test_rules_are_compared_by_when_they_fire():
    wanted = {"content": "bins", "at": "2026-11-27T08:00", "rrule": "FREQ=WEEKLY;COUNT=3", "for": "me"}

    assert judge_changes([{"set": [wanted]}], [], [WEEKLY]) == "right"
    assert judge_changes([{"set": [{**wanted, "rrule": "FREQ=DAILY;COUNT=3"}]}], [], [WEEKLY]) == "wrong-harmful"


def test_another_change_than_wanted_is_harmful():
    assert judge_changes([{"set": [WANTED]}], [WEEKLY], [MUM]) == "wrong-harmful"


def test_a_change_leaves_all_else_as_it_was():
    later = reminder("call mum", "2026-11-24T18:00:00+00:00")
    reworded = reminder("call dad", "2026-11-24T18:00:00+00:00", id="call mum")
    wanted = [{"change": [{"content": "mum", "at": "2026-11-24T18:00"}]}]

    assert judge_changes(wanted, [MUM], [later]) == "right"
    assert judge_changes(wanted, [MUM], [reworded]) == "wrong-harmful"


def test_a_deletion_may_name_the_time():
    wanted = [{"delete": [{"content": "bins", "was_at": "2026-11-27T08:00"}]}]

    assert judge_changes(wanted, [MUM, WEEKLY], [MUM]) == "right"
    assert judge_changes(wanted, [MUM, WEEKLY], [WEEKLY]) == "wrong-harmful"


def test_a_question_instead_of_an_action_is_acceptable_and_silence_is_not():
    assert judge_changes([{"set": [WANTED]}], [], [], replies=["When?"]) == "acceptable"
    assert judge_changes([{"set": [WANTED]}], [], [], replies=()) == "wrong-harmless"


def test_answer_to_talk_is_wrong():
    assert judge_changes([{"silence": True}], [], [], replies=(), kind="chatter") == "right"
    assert judge_changes([{"silence": True}], [], [], replies=["Hello!"], kind="chatter") == "wrong-harmful"


def test_undo_takes_back_the_last_change_of_the_sender():
    set_before = Difference([], [MUM], ZONE, NOW)
    difference = Difference([MUM], [], ZONE, NOW)

    assert Comparison(difference, "Ann", [("Ann", set_before)]).compare({"undo": True}) == "made"
    assert Comparison(difference, "Ann", [("Ann", difference)]).compare({"undo": True}) == "other"


def test_own_conversations_are_in_two_languages():
    languages = [each.lang for each in load_conversations(OWN_CONVERSATIONS)]

    assert languages.count("en") >= 60
    assert languages.count("zh") >= 60
