"""The sentences that mean one function are compiled when one is first asked for: here all of them are."""

import pytest

from bot.testing.talking import said
from function_calls.offline import direct


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_sentence_of_a_language_is_well_formed(language):
    known = direct._load(language).directs

    compiled = [direct._sentences(each) for each in known]

    assert len(known) > 10
    assert [len(patterns) for patterns in compiled] == [
        len(each.data.sentences) + len(each.data.followed) + len(each.data.addressed) for each in known
    ]
    assert all(compiled)


async def test_until_it_is_done_is_no_report_that_it_is():
    answers = await said("提醒@小明 明天九点吃药直到我说做完")

    assert "明天 09:00" in answers[0]
    assert "提醒 @小明：吃药" in answers[0]
