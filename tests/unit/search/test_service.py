"""The search service: order, fallback, timeouts and cache."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from bot.testing.clocks import FixedClock
from services.kernel.errors import RequestRefused
from services.search.model import SearchAnswer, SearchUnavailable, Source
from services.search.service import SearchService
from tests.support.search_server import Behaviour

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
STAR = Source(title="Star", url="https://star.example/")


@dataclass
class FakeEngine:
    """Answers with its name, or does what `outcome` says."""

    name: str
    outcome: SearchUnavailable | SearchAnswer | None = None
    speaks: tuple[str, ...] = ()
    delay: float = 0.0
    asked: list[str] = field(default_factory=list)

    async def search(self, query, language, *, on_text=None):
        self.asked.append(query)
        await asyncio.sleep(self.delay)
        for piece in self.speaks:
            await on_text(piece)
        if isinstance(self.outcome, SearchUnavailable):
            raise self.outcome
        return self.outcome or SearchAnswer(
            text=f"from {self.name} [1]", sources=(STAR,), engine=self.name, is_already_answered=bool(self.speaks)
        )


def make_failing_engine(name, reason="connection", **fields):
    return FakeEngine(name, SearchUnavailable(reason, engine=name, **fields))


async def ignore(piece):
    assert piece


def service(*engines, clock=None, timeout=5.0):
    return SearchService(engines, clock=clock or FixedClock(NOW), timeout=timedelta(seconds=timeout))


async def test_without_an_engine_the_request_is_refused():
    with pytest.raises(RequestRefused) as refusal:
        await service().search("stars", "en")

    assert refusal.value.code == "search_not_configured"
    assert refusal.value.fields == {"query": "stars"}


async def test_refusal_repeats_the_query_without_mentions():
    with pytest.raises(RequestRefused) as refusal:
        await service().search("@Noor lunch", "en")

    assert refusal.value.fields == {"query": "Noor lunch"}


async def test_an_empty_question_is_refused():
    with pytest.raises(RequestRefused) as refusal:
        await service(FakeEngine("first")).search("  ", "en")

    assert refusal.value.code == "search_query_empty"


async def test_the_first_engine_answers_alone():
    second = FakeEngine("second")

    answer = await service(FakeEngine("first"), second).search("stars", "en")

    assert answer.engine == "first"
    assert second.asked == []


async def test_the_next_engine_answers_when_one_fails():
    answer = await service(make_failing_engine("first"), FakeEngine("second")).search("stars", "en")

    assert answer.engine == "second"


async def test_next_engine_is_asked_after_an_empty_result():
    nothing = FakeEngine("first", SearchAnswer(text="", engine="first"))

    answer = await service(nothing, FakeEngine("second")).search("stars", "en")

    assert answer.engine == "second"


async def test_empty_result_is_reported_even_if_another_engine_failed():
    nothing = FakeEngine("first", SearchAnswer(text="", engine="first"))

    answer = await service(nothing, make_failing_engine("second")).search("stars", "en")

    assert answer.is_empty


async def test_each_reason_is_reported_when_all_fail():
    with pytest.raises(SearchUnavailable) as failure:
        await service(make_failing_engine("first", "timeout"), make_failing_engine("second", "refused")).search(
            "stars", "en"
        )

    assert failure.value.attempts == (("first", "timeout"), ("second", "refused"))
    assert str(failure.value) == "search unavailable: first timeout, second refused"


async def test_slow_engine_is_cancelled(engine_named, server):
    server.behaviour = Behaviour.SLOW

    answer = await service(engine_named("searxng"), FakeEngine("second"), timeout=0.05).search("stars", "en")

    assert answer.engine == "second"


async def test_cancelling_a_search_is_not_a_failure_of_the_engine():
    search = asyncio.ensure_future(service(FakeEngine("first", delay=30)).search("stars", "en"))
    await asyncio.sleep(0)

    search.cancel()

    with pytest.raises(asyncio.CancelledError):
        await search


async def test_the_same_question_is_asked_once_while_its_answer_is_fresh():
    engine, clock = FakeEngine("first"), FixedClock(NOW)
    asking = service(engine, clock=clock)
    await asking.search("How many  stars", "en")
    await asking.search("how many stars ", "en")
    await asking.search("how many stars", "zh")

    clock.set(NOW + timedelta(minutes=11))
    await asking.search("how many stars", "en")

    assert len(engine.asked) == 3


async def test_failure_is_not_cached():
    engine = make_failing_engine("first")
    asking = service(engine)
    with pytest.raises(SearchUnavailable):
        await asking.search("stars", "en")
    engine.outcome = None

    answer = await asking.search("stars", "en")

    assert answer.engine == "first"


async def test_rate_limited_engine_is_left_out_until_its_time():
    limited, clock = make_failing_engine("first", "rate_limited", retry_after=60.0), FixedClock(NOW)
    asking = service(limited, FakeEngine("second"), clock=clock)
    await asking.search("one", "en")
    await asking.search("two", "en")
    asked_meanwhile = list(limited.asked)

    clock.set(NOW + timedelta(seconds=61))
    await asking.search("three", "en")

    assert asked_meanwhile == ["one"]
    assert limited.asked == ["one", "three"]


async def test_cached_streamed_answer_is_sent():
    asking = service(FakeEngine("first", speaks=("from first",)))
    first = await asking.search("stars", "en", on_text=ignore)

    second = await asking.search("stars", "en", on_text=ignore)

    assert first.is_already_answered
    assert not second.is_already_answered


async def test_partly_streamed_answer_is_not_continued_by_another_engine():
    second = FakeEngine("second")
    half = FakeEngine("first", SearchUnavailable("cut", engine="first"), speaks=("half of",))

    with pytest.raises(SearchUnavailable) as failure:
        await service(half, second).search("stars", "en", on_text=ignore)

    assert failure.value.reason == "cut"
    assert second.asked == []


async def test_clock_set_back_ends_the_pause_of_an_engine():
    limited, clock = make_failing_engine("first", "rate_limited", retry_after=60.0), FixedClock(NOW)
    search = service(limited, FakeEngine("second"), clock=clock)
    await search.search("stars", "en")

    clock.set(NOW - timedelta(days=1))
    await search.search("moons", "en")

    assert limited.asked == ["stars", "moons"]


async def test_clock_set_back_ends_the_time_of_a_remembered_answer():
    engine, clock = FakeEngine("first"), FixedClock(NOW)
    search = service(engine, clock=clock)
    await search.search("stars", "en")

    clock.set(NOW - timedelta(days=1))
    await search.search("stars", "en")

    assert engine.asked == ["stars", "stars"]
