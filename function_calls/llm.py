"""Interpret turns with a language model: offer tools, and return checked calls or text."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from loguru import logger
from msgspec.structs import replace

from function_calls.model_calls.answers import ask_about_failure, ask_about_problems, make_answer, must_answer
from function_calls.model_calls.correction_round import MOST_SEARCHES, CorrectionRound
from function_calls.model_calls.styles.native import NativeStyle
from function_calls.model_calls.styles.style import CallStyle, Correction, FixedStyle, Reading, StyleSource, read_text
from function_calls.model_calls.text_tool_calls.spoken_text import StreamFilter
from function_calls.model_calls.transcript import Instructions, previous_messages
from function_calls.tools.calls import Interpretation, StyleName, ToolCall, Turn
from function_calls.tools.catalog.model_call_validation import CheckedCalls, check_calls
from function_calls.tools.catalog.offered_tools import OfferedTools, ToolCatalog
from function_calls.tools.catalog.tool_search import MOST_WITHOUT_SEARCH, SearchableTools, ToolSelection, offer
from services.call_log.usage import current_usage
from services.language_model.failures import RequestRejected
from services.language_model.ports import Completion, CompletionRequest, LanguageModel, TextListener, ignore_text

if TYPE_CHECKING:  # it reads messages, and most programs need none
    from function_calls.grounding.review import CallReviewer

# Text instead of these calls would lose a reminder, or invent a list.
_NEVER_WORDS_ONLY = frozenset({"reminder_set", "reminder_list"})
_MESSAGES_BEFORE = 2  # whose words select tools too

CompletionListener = Callable[[Turn, Completion], None]


class FunctionCallLLM:
    """Chooses calls with a language model; it keeps nothing between turns, so any number of messages share one.

    `styles` says how calls are asked for (see `styles.choosing.make_styles`), natively by default, and `named_styles`
    finds the styles of turns that name one. Calls that
    cannot be mended are sent back to the model `repair_rounds` times within one `interpret`, every error at once;
    after that the person is asked. With `is_streaming` every answer is read as it is written. `on_completion` is
    called for every completion, for budgets and records. `reviewer` holds the first choice of a turn against the
    person's own words. Of more than `tool_search_above` tools a request has those that fit the message, and the model
    searches the others; 0 sends all.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        styles: StyleSource | None = None,
        named_styles: Callable[[StyleName], StyleSource] | None = None,
        repair_rounds: int = 1,
        is_streaming: bool = False,
        on_completion: CompletionListener | None = None,
        reviewer: "CallReviewer | None" = None,
        tool_search_above: int = MOST_WITHOUT_SEARCH,
    ) -> None:
        self._model = model
        self._styles = styles or FixedStyle(NativeStyle(Instructions()))
        self._named_styles = named_styles
        self._repair_rounds = repair_rounds
        self._is_streaming = is_streaming
        self._on_completion = on_completion
        self._reviewer = reviewer
        self._catalog = ToolCatalog(partial(offer, most=tool_search_above))

    async def run(self, turn: Turn, *, on_text: TextListener | None = None) -> Interpretation:
        """Return the specification's name for `interpret`."""
        return await self.interpret(turn, on_text=on_text)

    async def interpret(self, turn: Turn, *, on_text: TextListener | None = None) -> Interpretation:
        """Interpret `turn`. `on_text` gets the text of an answer as it is written, and never call syntax.

        Without it the turn's own listener gets text that is certain to be sent.
        """
        if on_text is None and (turn.message.is_addressed or turn.steps):  # else the result may be silence
            on_text = turn.on_text
        if on_text is None and self._is_streaming:
            on_text = ignore_text
        styles = self._styles_of(turn)
        tools, style = self._catalog.get(turn.tools), await styles.current()
        while True:
            try:
                return await self._interpret_rounds(_Asking(turn, tools, style, on_text))
            except RequestRejected as rejection:
                lesser = styles.after(style, rejection)
                if lesser is None:
                    raise
                style = lesser

    def _styles_of(self, turn: Turn) -> StyleSource:
        if turn.call_style and self._named_styles is not None:
            return self._named_styles(turn.call_style)
        return self._styles

    async def _interpret_rounds(self, asking: "_Asking") -> Interpretation:
        if asking.turn.tool_choice == "none":
            return await self._words(asking)
        correction = CorrectionRound(asking.turn)
        while True:
            completion, reading = await self._choice(asking, correction.corrections)
            if not reading.calls:
                return await self._without_calls(asking, correction, completion, reading)
            checked = asking.selection.answer_searches(check_calls(reading.calls, asking.tools, correction.taken_ids))
            correction.hold(checked)
            if not checked.problems and not (checked.has_searches and correction.searches < MOST_SEARCHES):
                return await self._drop_repeated(asking, correction, reading.text)
            if checked.problems:
                _note_refused(checked)
                if correction.is_stuck(checked) or correction.repairs >= self._repair_rounds:
                    return self._request_of_words(asking, correction) or _asking_the_person(correction, checked)
                logger.info("returning {} invalid calls to the model", len(checked.problems))
            correction.correct(checked, reading.text, is_cut=completion.finish_reason == "length")

    async def _without_calls(
        self, asking: "_Asking", correction: CorrectionRound, completion: Completion, reading: Reading
    ) -> Interpretation:
        if correction.fresh:  # some calls were valid and the model gave up on the others
            return Interpretation(calls=correction.fresh, notice=reading.text)
        if not asking.is_choice_only:
            return self._do_requested(asking.turn, reading.text) or make_answer(asking.turn, completion, reading.text)
        missed = self._request_of_words(asking, correction)
        if missed is not None:
            return missed
        return await self._words(asking) if must_answer(asking.turn) else Interpretation()

    def _do_requested(self, turn: Turn, text: str) -> Interpretation | None:
        """Return the calls of a plain request that the model only answered in text; None where it asks something."""
        if self._reviewer is None or turn.steps or not turn.message.is_addressed:
            return None
        if not text or text.endswith(("?", "？")):
            return None
        missed = self._reviewer.missed(turn)
        if all(call.name not in _NEVER_WORDS_ONLY for call in missed):
            return None
        logger.info("model answered a plain request without a call; making the call")
        return Interpretation(calls=missed)

    def _request_of_words(self, asking: "_Asking", correction: CorrectionRound) -> Interpretation | None:
        """Return the calls that the person's own words ask for, where the model made none; None without any."""
        if self._reviewer is None or asking.turn.steps or correction.fresh:
            return None
        missed = self._reviewer.missed(asking.turn)
        return Interpretation(calls=missed) if missed else None

    async def _drop_repeated(self, asking: "_Asking", correction: CorrectionRound, text: str) -> Interpretation:
        """Return valid calls: drop those made before, stop at one that failed before."""
        if correction.fresh and self._reviewer is not None and not asking.turn.steps and not asking.turn.must_call:
            return await self._review(asking, correction.fresh, text, self._reviewer)
        if correction.fresh:
            return Interpretation(calls=correction.fresh, answer=text)
        if correction.failed_before is not None:
            return Interpretation(answer=ask_about_failure(asking.turn, correction.failed_before), must_reply=True)
        logger.info("model repeated earlier calls; requesting a text answer")
        return await self._words(asking)

    async def _review(
        self, asking: "_Asking", calls: tuple[ToolCall, ...], text: str, reviewer: "CallReviewer"
    ) -> Interpretation:
        """Return the calls that the person's own words support; without any, text, a question or silence."""
        instead = reviewer.instead(asking.turn, calls) if asking.is_choice_only else ()
        if instead:
            return Interpretation(calls=instead)
        review = reviewer.review(asking.turn, calls)
        if review.calls:
            return Interpretation(calls=review.calls, answer=text, notice=review.question)
        missed = reviewer.missed(asking.turn) if asking.is_choice_only else ()
        if missed:
            return Interpretation(calls=missed)
        if review.question:
            return Interpretation(answer=review.question, must_reply=True)
        logger.info("dropped calls that the message does not ask for: {}", ", ".join(call.name for call in calls))
        if text:
            return Interpretation(answer=text)
        return await self._words(asking) if must_answer(asking.turn) else Interpretation()

    async def _choice(self, asking: "_Asking", corrections: Sequence[Correction]) -> tuple[Completion, Reading]:
        """Let the model call tools or, where the style allows it, answer in words."""
        request = asking.style.request(asking.turn, asking.selection.offered, corrections)
        gate = None if asking.is_choice_only else asking.gate()
        completion = await self._complete(asking.turn, request, gate)
        reading = asking.style.read(asking.turn, completion, asking.tools)
        if gate is not None and not reading.calls:
            await gate.finish(reading.text)
        return completion, reading

    async def _words(self, asking: "_Asking") -> Interpretation:
        gate = asking.gate()
        completion = await self._complete(asking.turn, asking.style.text_request(asking.turn), gate)
        text = read_text(completion, asking.tools).text
        if gate is not None:
            await gate.finish(text)
        return make_answer(asking.turn, completion, text)

    async def _complete(self, turn: Turn, request: CompletionRequest, gate: StreamFilter | None) -> Completion:
        completion = await self._model.complete(request if gate is None else replace(request, on_text=gate.feed))
        if self._on_completion is not None:
            self._on_completion(turn, completion)
        return completion


class _Asking:
    """The constant parts of interpreting one turn."""

    def __init__(self, turn: Turn, tools: OfferedTools, style: CallStyle, on_text: TextListener | None) -> None:
        self.turn = turn
        self.tools = tools
        self.selection = _select(turn, tools)
        self.style = style
        self.is_choice_only = style.is_choice_only(turn)
        self._on_text = on_text

    def gate(self) -> StreamFilter | None:
        """Create a filter before the listener; None without a listener."""
        return None if self._on_text is None else StreamFilter(self._on_text, self.tools.by_name)


def _select(turn: Turn, tools: OfferedTools) -> ToolSelection:
    if not isinstance(tools, SearchableTools):
        return ToolSelection(tools)
    before = "\n".join(text for _, text in previous_messages(turn, _MESSAGES_BEFORE))
    called = [call.name for step in turn.steps for call in step.calls]
    return ToolSelection(tools, turn.message.text, before, called)


def _note_refused(checked: CheckedCalls) -> None:
    """Record the reasons for refused calls."""
    usage = current_usage()
    if usage is not None:
        usage.refuse(tuple(problem.feedback for problem in checked.problems))


def _asking_the_person(correction: CorrectionRound, checked: CheckedCalls) -> Interpretation:
    asked = ask_about_problems(correction.turn, checked.problems)
    if correction.fresh:
        return Interpretation(calls=correction.fresh, notice=asked)
    return Interpretation(answer=asked, must_reply=True)
