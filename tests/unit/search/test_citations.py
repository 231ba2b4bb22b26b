"""Citations refer to returned sources only."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.search.engines.pages import CitationNumbering, renumber
from services.search.model import Source

SOURCES = [Source(title=f"Page {n}", url=f"https://page{n}.example/") for n in range(1, 5)]


@pytest.mark.parametrize(
    ("text", "expected", "cited"),
    [
        ("Sky[4] and sea[2] and sky[4].", "Sky[1] and sea[2] and sky[1].", [4, 2]),
        ("Both [3, 1].", "Both [1][2].", [3, 1]),
        ("天空[2，3]。", "天空[1][2]。", [2, 3]),
        ("Invented [9].", "Invented.", []),
        ("Half [9, 2].", "Half [1].", [2]),
        ("Linked [2](https://elsewhere.example/x).", "Linked [1].", [2]),
        ("A list [of words] and [note].", "A list [of words] and [note].", []),
        ("Zero [0] and year [20261].", "Zero and year [20261].", []),
        ("An open [", "An open [", []),
    ],
)
def test_markers_are_renumbered_in_order_of_the_text(text, expected, cited):
    assert renumber(text, SOURCES) == (expected, tuple(SOURCES[number - 1] for number in cited))


def test_a_source_without_an_address_is_not_cited():
    assert renumber("See [1][2].", [Source(title="?", url=""), SOURCES[1]]) == ("See[1].", (SOURCES[1],))


@given(
    pieces=st.lists(
        st.sampled_from(["Sky", "[", "]", "1", "2", "9", " ", ",", "(", "https://x.example", ")", "。"]), max_size=24
    ),
    cuts=st.lists(st.integers(0, 60), max_size=5),
)
def test_a_text_in_pieces_reads_as_the_whole(pieces, cuts):
    text = "".join(pieces)
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    numbering = CitationNumbering()

    streamed = "".join(numbering.feed(text[a:b], SOURCES) for a, b in pairwise(bounds))
    streamed += numbering.finish(SOURCES)

    assert (streamed, numbering.list_cited(SOURCES)) == renumber(text, SOURCES)
