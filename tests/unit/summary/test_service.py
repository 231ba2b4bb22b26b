"""The summary service over stored messages."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

from services.kernel.errors import ModelUnavailable
from services.summary.model import Bullet, SummaryMethod, SummaryWindow
from services.summary.service import SummaryService


@dataclass
class FakeSummarizer:
    """Gives the bullets it was made with, or fails."""

    result: tuple[Bullet, ...] = ()
    failure: ModelUnavailable | None = None
    method: SummaryMethod = SummaryMethod.MODEL
    asked_counts: list[int] = field(default_factory=list)

    async def bullets(self, messages, *, language, count, on_progress=None):
        self.asked_counts.append(count)
        if self.failure is not None:
            raise self.failure
        return self.result


async def test_a_summary_counts_content_and_names_its_period(talk, stored, home):
    messages = talk(
        "ann: the boiler leaks again",
        "bob: summarize",
        "bubbles: here it is",
        "cat: the plumber fixes the boiler on Monday",
    )

    summary = await SummaryService(stored(messages)).summarize(home, language="en")

    assert summary.message_count == 2
    assert (summary.first_at, summary.last_at) == (messages[0].sent_at, messages[3].sent_at)
    assert [person.name for person in summary.people] == ["Ann", "Cat"]
    assert summary.method is SummaryMethod.EXTRACTIVE


async def test_every_cited_message_is_in_the_window(talk, stored, home):
    messages = talk(*[f"ann: point {n} about the budget and item {n % 7}" for n in range(60)])

    summary = await SummaryService(stored(messages)).summarize(home, language="en", window=SummaryWindow(limit=20))

    cited = {message_id for bullet in summary.bullets for message_id in bullet.message_ids}
    assert cited <= {message.id for message in messages[-20:]}
    assert summary.message_count == 20


async def test_an_empty_window_says_so(talk, stored, home):
    summary = await SummaryService(stored(talk("ann: 总结一下"))).summarize(home, language="zh")

    assert summary.is_empty
    assert summary.bullets == ()


async def test_since_reads_from_that_moment(talk, stored, home):
    messages = talk("ann: old news about cats", "bob: new news about dogs", minutes_apart=60)

    window = SummaryWindow(since=messages[0].sent_at + timedelta(minutes=1))
    summary = await SummaryService(stored(messages)).summarize(home, language="en", window=window)

    assert [bullet.message_ids for bullet in summary.bullets] == [("m2",)]
    assert not summary.is_cut


async def test_the_last_messages_are_those_that_people_wrote_to_each_other(talk, stored, home):
    messages = talk("ann: old news", "bob: the boiler leaks", "cat: the plumber comes", "bob: summarize", "bubbles: so")

    summary = await SummaryService(stored(messages)).summarize(home, language="en", window=SummaryWindow(count=2))

    assert (summary.message_count, summary.first_at) == (2, messages[1].sent_at)


async def test_a_window_over_its_limit_says_that_it_was_cut(talk, stored, home):
    messages = talk("ann: first news", "bob: second news", "cat: third news")

    window = SummaryWindow(since=messages[0].sent_at, limit=2)
    summary = await SummaryService(stored(messages)).summarize(home, language="en", window=window)

    assert summary.is_cut
    assert summary.message_count == 2


async def test_a_models_bullets_are_used_when_it_answers(talk, stored, home):
    bullet = Bullet(text="Ann's boiler leaks.", message_ids=("m1",), sender="Ann")
    summarizer = FakeSummarizer(result=(bullet,))

    summary = await SummaryService(stored(talk("ann: the boiler leaks")), summarizer=summarizer).summarize(
        home, language="en"
    )

    assert summary.bullets == (bullet,)
    assert summary.method is SummaryMethod.MODEL
    assert summarizer.asked_counts == [3]


async def test_a_failing_model_gives_the_extractive_summary_and_its_reason(talk, stored, home):
    summarizer = FakeSummarizer(failure=ModelUnavailable("timeout"))

    summary = await SummaryService(stored(talk("ann: the boiler leaks")), summarizer=summarizer).summarize(
        home, language="en"
    )

    assert summary.method is SummaryMethod.EXTRACTIVE
    assert summary.fallback_reason == "timeout"
    assert [bullet.message_ids for bullet in summary.bullets] == [("m1",)]


async def test_uncheckable_model_output_gives_the_extractive_summary(talk, stored, home):
    summary = await SummaryService(stored(talk("ann: the boiler leaks")), summarizer=FakeSummarizer()).summarize(
        home, language="en"
    )

    assert summary.method is SummaryMethod.EXTRACTIVE
    assert summary.fallback_reason == "unsupported"


async def test_planted_facts_are_found_in_a_day_of_five_thousand_messages(talk, stored, home):
    lines = [f"p{n % 9}: chatting about thing{n % 40} and stuff{n % 11} with some words" for n in range(5000)]
    lines[1203] = "ann: We decided to move the picnic to Sunday"
    lines[2500] = "bob: does anyone know the gate code"
    lines[4000] = "cat: 电费账单下周五下午三点到期"

    summary = await SummaryService(stored(talk(*lines, minutes_apart=0.2))).summarize(
        home, language="en", window=SummaryWindow(limit=5000)
    )

    assert [decision.message_id for decision in summary.findings.decisions] == ["m1204"]
    assert [question.message_id for question in summary.findings.open_questions] == ["m2501"]
    assert {date.message_id for date in summary.findings.dates} == {"m1204", "m4001"}
    assert len(summary.bullets) == 8


async def test_messages_about_a_topic_are_found_beside_the_event_loop(talk, stored, home):
    messages = talk(*["ann: the quick brown fox jumps over the lazy dog " * 50] * 1_000)
    service, window = SummaryService(stored(messages)), SummaryWindow(limit=1_000, topic="boiler")
    summarizing = asyncio.create_task(service.summarize(home, language="en", window=window))

    turns = 0
    while not summarizing.done():
        await asyncio.sleep(0)
        turns += 1

    assert summarizing.result().is_empty
    assert turns > 10
