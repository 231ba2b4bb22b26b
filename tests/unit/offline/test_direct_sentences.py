"""The sentences that mean one function are compiled when one is first asked for: here all of them are."""

import pytest

from function_calls.offline import direct


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_sentence_of_a_language_is_well_formed(language):
    known = direct._load(language).directs

    compiled = [direct._sentences(each) for each in known]

    assert len(known) > 10
    assert [len(patterns) for patterns in compiled] == [
        len(each.data.sentences) + len(each.data.addressed) for each in known
    ]
    assert all(compiled)
