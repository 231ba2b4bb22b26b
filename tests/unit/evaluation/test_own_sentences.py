"""The share of the project's own labelled sentences that are read rightly.

The file has what the models misread. A share below is that of today, rounded down to a whole percent: it may only rise.
"""

import pytest

from benchmarks.evaluation.own_sentences import own_sentences, read_all

SHARES = {"en": 0.0, "zh": 0.0}


@pytest.mark.parametrize("language", SHARES)
def test_share_of_own_sentences_read_rightly_does_not_fall(language):
    read = read_all(own_sentences(language), language)

    assert sum(each.is_right for each in read) / len(read) >= SHARES[language]
