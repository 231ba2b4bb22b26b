"""The interpreter that asks a language model: tools in, checked calls or words out."""

from collections.abc import Callable
from dataclasses import replace

from loguru import logger

from function_calls.attempt import Attempt
from function_calls.call_check import CheckedCalls, check_calls
from function_calls.call_styles.native import NativeStyle
from function_calls.call_styles.style import CallStyle, Reading
from function_calls.calls import Interpretation, Turn
from function_calls.instructions import Instructions
from function_calls.model_answers import is_owed_an_answer, question, spoken, stuck
from function_calls.offered_tools import OfferedTools, ToolShelf
from function_calls.spoken_text import SpeechGate
from services.language_model.ports import Completion, CompletionRequest, LanguageModel, TextListener

CompletionListener = Callable[[Turn, Completion], None]


class FunctionCallLLM:
    """Chooses calls with a language model; it keeps nothing between turns, so any number of messages share one.

    `style` is how calls are asked for. Calls that cannot be mended are sent back to the model `repair_rounds` times
    within one `interpret`, every error at once; after that the person is asked. `on_completion` hears of every
    completion, for budgets and records.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        style: CallStyle | None = None,
        repair_rounds: int = 1,
        on_completion: CompletionListener | None = None,
    ) -> None:
        self._model = model
        self._style = style or NativeStyle(Instructions())
        self._repair_rounds = repair_rounds
        self._on_completion = on_completion
        self._shelf = ToolShelf()

    async def run(self, turn: Turn, *, on_text: TextListener | None = None) -> Interpretation:
        """The specification's name for `interpret`."""
        return await self.interpret(turn, on_text=on_text)

    async def interpret(self, turn: Turn, *, on_text: TextListener | None = None) -> Interpretation:
        """Say what `turn` asks for. `on_text` hears an answer in words as it is written, and never call syntax.

        Raises:
            ModelUnavailable: the model gave no usable answer.
        """
        tools = self._shelf.get(turn.tools)
        attempt = Attempt(turn)
        choosing = self._style.only_chooses(turn)
        while True:
            request = self._style.request(turn, tools, attempt.corrections)
            completion, reading = await self._ask(turn, request, tools, None if choosing else on_text)
            if not reading.calls:
                return await self._without_calls(attempt, completion, reading, on_text)
            checked = check_calls(reading.calls, tools, attempt.taken_ids)
            attempt.keep(checked)
            if not checked.problems:
                return await self._with_calls(attempt, reading.text, on_text)
            if attempt.is_stuck(checked) or len(attempt.corrections) >= self._repair_rounds:
                return _asking_the_person(attempt, checked)
            logger.info("{} unusable calls go back to the model", len(checked.problems))
            attempt.correct(checked, reading.text, is_cut=completion.finish_reason == "length")

    async def _ask(
        self, turn: Turn, request: CompletionRequest, tools: OfferedTools, on_text: TextListener | None
    ) -> tuple[Completion, Reading]:
        gate = None if on_text is None else SpeechGate(on_text, tools.by_name)
        completion = await self._model.complete(request if gate is None else replace(request, on_text=gate.hear))
        if self._on_completion is not None:
            self._on_completion(turn, completion)
        reading = self._style.read(completion, tools)
        if gate is not None and not reading.calls:
            await gate.finish(reading.text)
        return completion, reading

    async def _without_calls(
        self, attempt: Attempt, completion: Completion, reading: Reading, on_text: TextListener | None
    ) -> Interpretation:
        turn = attempt.turn
        if attempt.fresh:  # some calls were right and the model gave up on the others
            return Interpretation(calls=attempt.fresh, notice=reading.text)
        if not self._style.only_chooses(turn):
            return spoken(turn, completion, reading.text)
        return await self._words(turn, on_text) if is_owed_an_answer(turn) else Interpretation()

    async def _with_calls(self, attempt: Attempt, text: str, on_text: TextListener | None) -> Interpretation:
        """Calls that are all right: leave out what was done before, stop at what failed before."""
        if attempt.fresh:
            return Interpretation(calls=attempt.fresh, answer=text)
        if attempt.failed_before is not None:
            return Interpretation(answer=stuck(attempt.turn, attempt.failed_before))
        logger.info("the model repeats calls that were made already; asking it for words")
        return await self._words(attempt.turn, on_text)

    async def _words(self, turn: Turn, on_text: TextListener | None) -> Interpretation:
        request = self._style.words_request(turn)
        completion, reading = await self._ask(turn, request, self._shelf.get(turn.tools), on_text)
        return spoken(turn, completion, reading.text)


def _asking_the_person(attempt: Attempt, checked: CheckedCalls) -> Interpretation:
    asked = question(attempt.turn, checked.problems)
    if attempt.fresh:
        return Interpretation(calls=attempt.fresh, notice=asked)
    return Interpretation(answer=asked)
