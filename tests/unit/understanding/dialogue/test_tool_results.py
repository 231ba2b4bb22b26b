"""Answers from results of tools without a model, and the warm-up of the interpreter."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from function_calls.grounding import claims
from function_calls.language.messages import LANGUAGES, catalogue
from function_calls.language.recognized_phrases import phrases
from function_calls.tools.calls import Step, ToolCall, ToolResult, Turn
from function_calls.understanding import OfflineInterpreter, acknowledgements
from function_calls.understanding.reading.lexicon import load_lexicon
from services.kernel.chat import ChatAddress, ChatMessage, Person
from tests.unit.understanding.conftest import NOW, TOOLS, ZONE


def turn_after(*results: ToolResult, now: datetime = NOW) -> Turn:
    message = ChatMessage(
        id="m1",
        address=ChatAddress(platform="console", chat_id="home"),
        sender=Person(id="ann", name="ann"),
        text="roll 2 dice",
        sent_at=now,
    )
    step = Step(text="", calls=(), results=results)
    return Turn(message=message, now=now, zone=ZONE, language="en", bot_name="bubbles", tools=(), steps=(step,))


async def test_answer_is_the_texts_of_the_results() -> None:
    turn = turn_after(ToolResult(ok=True, text="Two sixes."), ToolResult(ok=True, value=12), ToolResult(ok=True))

    heard = await OfflineInterpreter().interpret(turn)

    assert (heard.calls, heard.answer) == ((), "Two sixes.\n12")


@pytest.fixture
def search_without_result() -> Turn:
    """Return a turn in which notes and messages were searched for "homework", and nothing was found."""
    names = ("memory_search", "history_search")
    calls = tuple(ToolCall(id=name, name=name, arguments={"query": "homework"}) for name in names)
    found = (ToolResult(ok=True, value={"memories": []}), ToolResult(ok=True, value={"messages": []}))
    return replace(turn_after(), tools=TOOLS, steps=(Step(text="", calls=calls, results=found),))


async def test_places_of_a_fruitless_search_are_named_without_web_search(search_without_result: Turn) -> None:
    heard = await OfflineInterpreter(searches_web=False).interpret(search_without_result)

    assert heard.calls == ()
    assert heard.answer == (
        "I found nothing about “homework” in the notes and messages of this chat, and no web search is set up here."
    )


async def test_admin_is_told_how_to_set_up_a_web_search(search_without_result: Turn) -> None:
    admin = replace(search_without_result.message, sender=Person(id="ann", name="ann", is_admin=True))

    heard = await OfflineInterpreter(searches_web=False).interpret(replace(search_without_result, message=admin))

    assert "PERPLEXITY_API_KEY" in heard.answer


async def test_web_is_searched_after_a_fruitless_search_of_the_chat(search_without_result: Turn) -> None:
    (call,) = (await OfflineInterpreter(searches_web=True).interpret(search_without_result)).calls

    assert (call.name, call.arguments) == ("perplexity_search", {"query": "homework"})


async def test_models_are_preloaded_only_to_check_claims_of_a_model() -> None:
    load_lexicon.cache_clear()

    OfflineInterpreter.warm_up("en")
    assert load_lexicon.cache_info().currsize == 0  # they are loaded with the first message

    claims.warm_up("en")
    assert load_lexicon.cache_info().currsize == 1


def test_patterns_for_every_message_are_compiled_in_advance() -> None:
    for each in (acknowledgements._load_pattern, catalogue, phrases):
        each.cache_clear()

    OfflineInterpreter.warm_up("en")

    assert acknowledgements._load_pattern.cache_info().currsize == 1
    assert catalogue.cache_info().currsize == 1
    assert phrases.cache_info().currsize == len(LANGUAGES)
