"""The function `perplexity_search`: streamed and final answers, and errors."""

import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from bot.testing.turns import make_turn
from function_calls import handlers
from function_calls.conversation.agent_loop import listener_of_call
from function_calls.language.messages import say
from function_calls.models import PerplexityArgs
from services.kernel.errors import RequestRefused
from services.search.model import SearchAnswer, SearchUnavailable, Source
from services.search.service import SearchService

STARS = Source(title="Stars", url="https://stars.example/")


class SpeakingEngine:
    """Sends its text to listeners, and posts it by itself if `posts` is set."""

    name = "speaking"

    def __init__(self, *, posts=False):
        self._posts = posts

    async def search(self, query, language, *, on_text=None):
        if on_text is not None:
            await on_text("Many [1].")
        has_answer = self._posts or on_text is not None
        return SearchAnswer(text="Many [1].", sources=(STARS,), engine=self.name, is_already_answered=has_answer)


class EmptyEngine:
    """Finds nothing."""

    name = "empty"

    async def search(self, query, language, *, on_text=None):
        return SearchAnswer(text="", engine=self.name)


@pytest.fixture
def search(context_of):
    async def dispatch(engine, on_text=None, query="stars"):
        context = replace(context_of(text="search the web for stars"), on_text=on_text)
        service = SearchService([engine], clock=FixedClock(context.now))
        return await handlers.perplexity_search(PerplexityArgs(query=query), context, service)

    return dispatch


async def test_listener_gets_the_streamed_text_and_the_whole_answer(search):
    texts = []

    async def hear(text):
        texts.append(text)

    result = await search(SpeakingEngine(), hear)

    assert texts == ["Many [1]."]
    assert result.ending != "answered"
    assert result.text.startswith("Many [1].\n")
    assert "https://stars.example/" in result.text


async def test_query_without_results_is_repeated_short_and_mentions_nobody(search):
    result = await search(EmptyEngine(), query=f"@everyone {'stars ' * 1_000}")

    assert result.text.startswith("The search found nothing for “everyone stars ")
    assert len(result.text) < 200


async def test_answer_posted_by_the_engine_is_not_sent_again(search):
    result = await search(SpeakingEngine(posts=True))

    assert (result.ending, result.text) == ("answered", "")


async def test_only_the_first_of_several_parallel_calls_is_streamed():
    async def hear(text):
        raise AssertionError(text)

    turn = replace(make_turn("search for stars and for moons"), on_text=hear)

    assert [listener_of_call(turn, place) for place in range(3)] == [hear, None, None]


@pytest.mark.parametrize(("is_admin", "has_instructions"), [(True, True), (False, False)])
async def test_instructions_to_set_up_search_are_for_admins_only(context_of, is_admin, has_instructions):
    context = context_of(text="search the web for stars")
    sender = replace(context.message.sender, is_admin=is_admin)
    context = replace(context, message=replace(context.message, sender=sender))

    refusal = await _refusal_of(context)

    assert ("PERPLEXITY_API_KEY" in refusal) is has_instructions


async def _refusal_of(context):
    """Return the text of a refusal as the router words it."""
    try:
        result = await handlers.perplexity_search(
            PerplexityArgs(query="stars"), context, SearchService([], clock=FixedClock(context.now))
        )
    except RequestRefused as refusal:
        return say("en", f"refused.{refusal.code}", **refusal.fields)
    return result.text


class UnreachedEngine:
    name = "brave"

    async def search(self, query, language, *, on_text=None):
        raise SearchUnavailable("connection", engine=self.name)


async def test_reason_of_an_engine_without_answer_is_worded_for_the_reader(search):
    result = await search(UnreachedEngine())

    assert result.text.startswith("I could not reach a search engine just now (brave: not reachable).")
