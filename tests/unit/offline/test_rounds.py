"""Results of tools are answered without a model."""

from datetime import datetime

from function_calls.grounding import claims
from function_calls.language.messages import LANGUAGES, catalogue
from function_calls.language.recognized_phrases import phrases
from function_calls.tools.calls import Step, ToolResult, Turn
from function_calls.understanding import OfflineInterpreter, acknowledgements
from function_calls.understanding.reading.lexicon import load_lexicon
from services.kernel.chat import ChatAddress, ChatMessage, Person
from tests.unit.offline.conftest import NOW, ZONE


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


async def test_the_results_are_the_answer() -> None:
    turn = turn_after(ToolResult(ok=True, text="Two sixes."), ToolResult(ok=True, value=12), ToolResult(ok=True))

    heard = await OfflineInterpreter().interpret(turn)

    assert (heard.calls, heard.answer) == ((), "Two sixes.\n12")


async def test_models_are_loaded_ahead_for_the_answers_of_a_model_alone() -> None:
    load_lexicon.cache_clear()

    OfflineInterpreter.warm_up("en")
    assert load_lexicon.cache_info().currsize == 0  # they are loaded with the first message

    claims.warm_up("en")
    assert load_lexicon.cache_info().currsize == 1


def test_patterns_that_every_message_needs_are_compiled_ahead() -> None:
    for each in (acknowledgements._pattern, catalogue, phrases):
        each.cache_clear()

    OfflineInterpreter.warm_up("en")

    assert acknowledgements._pattern.cache_info().currsize == 1
    assert catalogue.cache_info().currsize == 1
    assert phrases.cache_info().currsize == len(LANGUAGES)
