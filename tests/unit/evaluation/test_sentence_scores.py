"""Scores of single sentences."""

import pytest

from benchmarks.evaluation.content_match import compute_overlap, split_content
from benchmarks.evaluation.offline_reading import Understood
from benchmarks.evaluation.sentence_cases import get_label, parse_case
from benchmarks.evaluation.sentence_scores import score

SET = {
    "text": "remind me tomorrow to water the ferns",
    "lang": "en",
    "source": "own",
    "our_tool": "reminder_set",
    "tier": "core",
    "accept": ["reminder_set"],
    "slots": {"todo": ["water the ferns"], "datetime": ["tomorrow"]},
}
CHAT = SET | {"text": "hello", "our_tool": "none", "tier": "chat", "accept": ["none"], "slots": {}}


def score_figures(rows, made):
    found = score([parse_case(row) for row in rows], lambda *_: made)
    return {figure.name: figure.share for figure in found.figures["en"]}


def test_correct_request_counts_in_each_of_its_rows():
    made = Understood(tool="reminder_set", content="to water the ferns", when="tomorrow")

    shares = score_figures([SET], made)

    assert shares["right tool on requests"] == 1
    assert shares["content exact"] == 1
    assert shares["time seen"] == 1
    assert shares["search found"] is None


def test_a_reminder_that_fires_on_chat_is_counted_against_it():
    shares = score_figures([CHAT], Understood(tool="reminder_set"))

    assert shares["reminder fires on chat"] == 1


def test_a_search_on_chat_is_no_reminder_but_a_tool():
    shares = score_figures([CHAT], Understood(tool="perplexity_search"))

    assert (shares["reminder fires on chat"], shares["any tool fires on chat"]) == (0, 1)


def test_a_content_that_is_partly_right_counts_partly():
    shares = score_figures([SET], Understood(tool="reminder_set", content="water the plants"))

    assert shares["content exact"] == 0
    assert shares["content ROUGE-L"] == pytest.approx(2 / 3)


def test_unmarked_time_is_invented():
    untimed = SET | {"slots": {"todo": ["water ferns"], "person": ["Leo"]}}

    shares = score_figures([untimed], Understood(tool="reminder_set", content="water ferns", when="at nine"))

    assert shares["time invented"] == 1
    assert shares["other person found"] == 0


def test_functions_unknown_to_the_data_count_as_none():
    assert get_label("undo") == "none"
    assert get_label("reminder_snooze") == "reminder_update"


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [("to call Ann!", "en", ["call", "ann"]), ("去开会吧", "zh", ["开", "会"]), ("to", "en", [])],
)
def test_joints_are_no_part_of_a_content(text, language, words):
    assert split_content(text, language) == words


def test_empty_texts_overlap_by_zero():
    assert compute_overlap([], []) == 1
    assert compute_overlap(["a"], []) == 0
