"""Scores of summaries."""

from benchmarks.evaluation.summary_cases import SummaryCase, load_own_cases
from benchmarks.evaluation.summary_scores import choose_first, choose_longest, score, score_citations

CHAT = SummaryCase(
    corpus="c",
    language="en",
    messages=(
        ("Ann", "short"),
        ("Bob", "a longer line about the boat"),
        ("Cid", "another quite long line"),
        ("Dee", "x"),
    ),
    references=("Bob: a longer line about the boat",),
)


def test_baselines_choose_by_place_and_by_length():
    assert choose_first(CHAT, 3) == [0, 1, 2]
    assert choose_longest(CHAT, 2) == [1, 2]


def test_every_method_is_scored_on_every_corpus():
    found = score([CHAT], 1)

    assert [(each.corpus, each.method, each.count) for each in found] == [
        ("c", "ours", 1),
        ("c", "first messages", 1),
        ("c", "longest of each part", 1),
    ]
    assert found[2].rouge.one == 1


def test_quotations_of_the_own_set_cite_their_messages():
    found = score_citations(load_own_cases())

    assert {each.corpus for each in found} == {"own_en", "own_zh"}
    assert all(each.bullets == each.valid > 0 for each in found)
