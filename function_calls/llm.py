"""Interpret turns with a language model: offer tools, and return checked calls or text."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from loguru import logger
from msgspec.structs import replace

from function_calls.model_calls.correction_round import (
    MAX_SEARCHES,
    CorrectionRound,
    ask_about_failure,
    ask_about_problems,
    make_answer,
    must_answer,
)
from function_calls.model_calls.styles.native import NativeStyle
from function_calls.model_calls.styles.style import (
    CallCorrection,
    CallStyle,
    FixedStyle,
    ModelReply,
    StyleSource,
    read_text,
)
from function_calls.model_calls.text_tool_calls.stream_filter import StreamFilter
from function_calls.model_calls.transcript import Instructions, previous_messages
from function_calls.tools.calls import Interpretation, StyleName, ToolCall, Turn
from function_calls.tools.catalog.model_call_validation import CheckedCalls, check_calls
from function_calls.tools.catalog.offered_tools import OfferedTools
from function_calls.tools.catalog.tool_search import MAX_TOOLS_WITHOUT_SEARCH, SearchableTools, ToolSelection, offer
from services.call_log.usage import current_usage
from services.kernel.bounded import IdentityCache
from services.kernel.text import replace_unstorable
from services.language_model.failures import RequestRejected
from services.language_model.ports import Completion, CompletionRequest, LanguageModel, TextListener, ignore_text

if TYPE_CHECKING:  # it reads messages, and most programs need none
    from function_calls.grounding.review import RuleBasedReview

# Without these calls a text would lose a reminder, or invent a list.
_NEVER_TEXT_ONLY = frozenset({"reminder_set", "reminder_list"})
_KEPT_SETS = 64  # of tools
_SELECTING_MESSAGES = 2  # earlier messages whose words also select tools


class FunctionCallLLM:
    """Chooses calls with a language model. It has no state of a turn, so any number of messages share one.

    Args:
        styles: the call style of requests, native by default; see `styles.style_detection.make_styles`.
        named_styles: returns the call style of turns that name one.
        repair_rounds: how often calls that cannot be repaired are returned to the model, with every error, before the
            person is asked.
        is_streaming: request streamed answers even without a listener.
        reviewer: compares the first calls of a turn with the message.
        tool_search_above: with more tools than this, a request has only those that fit the message, and the model
            searches for the others; 0 sends all.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        styles: StyleSource | None = None,
        named_styles: Callable[[StyleName], StyleSource] | None = None,
        repair_rounds: int = 1,
        is_streaming: bool = False,
        reviewer: "RuleBasedReview | None" = None,
        tool_search_above: int = MAX_TOOLS_WITHOUT_SEARCH,
    ) -> None:
        self._model = model
        self._styles = styles or FixedStyle(NativeStyle(Instructions()))
        self._named_styles = named_styles
        self._repair_rounds = repair_rounds
        self._is_streaming = is_streaming
        self._reviewer = reviewer
        self._tool_search_above = tool_search_above
        self._catalog: IdentityCache[OfferedTools] = IdentityCache(_KEPT_SETS)

    async def run(self, turn: Turn, *, on_text: TextListener | None = None) -> Interpretation:
        """Interpret `turn`: the name of `interpret` in the specification."""
        return await self.interpret(turn, on_text=on_text)

    async def interpret(self, turn: Turn, *, on_text: TextListener | None = None) -> Interpretation:
        """Interpret `turn`. `on_text` receives the text of an answer while it is generated, without call syntax.

        Without it the turn's own listener receives text that is certain to be sent.
        """
        if on_text is None and (turn.message.is_addressed or turn.steps):  # otherwise nothing may be sent
            on_text = turn.on_text
        if on_text is None and self._is_streaming:
            on_text = ignore_text
        styles = self._current_styles(turn)
        tools = self._catalog.get(turn.tools, lambda: offer(turn.tools, self._tool_search_above))
        style = await styles.current()
        while True:
            try:
                return await self._interpret_rounds(_Inputs(turn, tools, style, on_text))
            except RequestRejected as rejection:
                simpler = styles.after(style, rejection)
                if simpler is None:
                    raise
                style = simpler

    async def chooses_only(self, turn: Turn) -> bool:
        """Return whether the model is to choose a function for `turn`, or none, and writes nothing itself.

        Raises:
            ModelUnavailable: the style of the endpoint is unknown yet, and the endpoint does not answer.
        """
        return (await self._current_styles(turn).current()).is_choice_only(turn)

    def _current_styles(self, turn: Turn) -> StyleSource:
        if turn.call_style and self._named_styles is not None:
            return self._named_styles(turn.call_style)
        return self._styles

    async def _interpret_rounds(self, inputs: "_Inputs") -> Interpretation:
        if inputs.turn.tool_choice == "none":
            return await self._request_text(inputs)
        correction = CorrectionRound(inputs.turn)
        while True:
            completion, reply = await self._request_calls(inputs, correction.corrections)
            if not reply.calls:
                return await self._handle_text(inputs, correction, completion, reply)
            checked = inputs.selection.answer_searches(check_calls(reply.calls, inputs.tools, correction.taken_ids))
            correction.hold(checked)
            if not checked.problems and not (checked.has_searches and correction.searches < MAX_SEARCHES):
                return await self._drop_repeated(inputs, correction, reply.text)
            if checked.problems:
                usage = current_usage()
                if usage is not None:
                    usage.refuse(tuple(problem.feedback for problem in checked.problems))
                if correction.is_stuck(checked) or correction.repairs >= self._repair_rounds:
                    return self._calls_of_message(inputs, correction) or _ask_person(correction, checked)
                logger.info("returning {} invalid calls to the model", len(checked.problems))
            correction.correct(checked, reply.text, is_cut=completion.finish_reason == "length")

    async def _handle_text(
        self, inputs: "_Inputs", correction: CorrectionRound, completion: Completion, reply: ModelReply
    ) -> Interpretation:
        if correction.fresh:  # some calls were valid and the model gave up on the others
            return Interpretation(calls=correction.fresh, notice=reply.text)
        if not inputs.is_choice_only:
            return self._do_requested(inputs.turn, reply.text) or make_answer(inputs.turn, completion, reply.text)
        missed = self._calls_of_message(inputs, correction)
        if missed is not None:
            return missed
        return await self._request_text(inputs) if must_answer(inputs.turn) else Interpretation()

    def _do_requested(self, turn: Turn, text: str) -> Interpretation | None:
        """Return the calls of a plain request that the model answered in text only; None if its text is a question."""
        if self._reviewer is None or turn.steps or not turn.message.is_addressed:
            return None
        if not text or text.endswith(("?", "？")):
            return None
        missed = self._reviewer.missed(turn)
        if all(call.name not in _NEVER_TEXT_ONLY for call in missed):
            return None
        logger.info("model answered a plain request without a call; making the call")
        return Interpretation(calls=missed)

    def _calls_of_message(self, inputs: "_Inputs", correction: CorrectionRound) -> Interpretation | None:
        """Return the calls that the message requests, if the model made none; None without any."""
        if self._reviewer is None or inputs.turn.steps or correction.fresh:
            return None
        missed = self._reviewer.missed(inputs.turn)
        return Interpretation(calls=missed) if missed else None

    async def _drop_repeated(self, inputs: "_Inputs", correction: CorrectionRound, text: str) -> Interpretation:
        """Return the valid calls that are new in this turn; without any, ask the person or request text."""
        if correction.fresh and self._reviewer is not None and not inputs.turn.steps and not inputs.turn.must_call:
            return await self._review(inputs, correction.fresh, text, self._reviewer)
        if correction.fresh:
            return Interpretation(calls=correction.fresh, answer=text)
        if correction.failed_before is not None:
            return Interpretation(answer=ask_about_failure(inputs.turn, correction.failed_before), must_reply=True)
        logger.info("model repeated earlier calls; requesting a text answer")
        return await self._request_text(inputs)

    async def _review(
        self, inputs: "_Inputs", calls: tuple[ToolCall, ...], text: str, reviewer: "RuleBasedReview"
    ) -> Interpretation:
        """Return the calls that the message supports; without any, text, a question or silence."""
        instead = reviewer.instead(inputs.turn, calls) if inputs.is_choice_only else ()
        if instead:
            return Interpretation(calls=instead)
        review = reviewer.review(inputs.turn, calls)
        if review.calls:
            return Interpretation(calls=review.calls, answer=text, notice=review.question)
        missed = reviewer.missed(inputs.turn) if inputs.is_choice_only else ()
        if missed:
            return Interpretation(calls=missed)
        if review.question:
            return Interpretation(answer=review.question, must_reply=True)
        logger.info("dropped calls that the message does not ask for: {}", ", ".join(call.name for call in calls))
        if text:
            return Interpretation(answer=text)
        return await self._request_text(inputs) if must_answer(inputs.turn) else Interpretation()

    async def _request_calls(
        self, inputs: "_Inputs", corrections: Sequence[CallCorrection]
    ) -> tuple[Completion, ModelReply]:
        """Request calls or, if the style allows it, an answer in text."""
        request = inputs.style.request(inputs.turn, inputs.selection.offered, corrections)
        stream_filter = None if inputs.is_choice_only else inputs.make_filter()
        completion = await self._complete(request, stream_filter)
        reply = inputs.style.read(inputs.turn, completion, inputs.tools)
        if stream_filter is not None and not reply.calls:
            await stream_filter.finish(reply.text)
        return completion, reply

    async def _request_text(self, inputs: "_Inputs") -> Interpretation:
        stream_filter = inputs.make_filter()
        completion = await self._complete(inputs.style.text_request(inputs.turn), stream_filter)
        text = read_text(completion, inputs.tools).text
        if stream_filter is not None:
            await stream_filter.finish(text)
        return make_answer(inputs.turn, completion, text)

    async def _complete(self, request: CompletionRequest, stream_filter: StreamFilter | None) -> Completion:
        completion = await self._model.complete(
            request if stream_filter is None else replace(request, on_text=stream_filter.feed)
        )
        return replace(completion, text=replace_unstorable(completion.text))


class _Inputs:
    """The inputs that stay the same while one turn is interpreted."""

    def __init__(self, turn: Turn, tools: OfferedTools, style: CallStyle, on_text: TextListener | None) -> None:
        self.turn = turn
        self.tools = tools
        self.selection = _select(turn, tools)
        self.style = style
        self.is_choice_only = style.is_choice_only(turn)
        self._on_text = on_text

    def make_filter(self) -> StreamFilter | None:
        """Create a filter before the listener; None without a listener."""
        return None if self._on_text is None else StreamFilter(self._on_text, self.tools.by_name)


def _select(turn: Turn, tools: OfferedTools) -> ToolSelection:
    if not isinstance(tools, SearchableTools):
        return ToolSelection(tools)
    before = "\n".join(text for _, text in previous_messages(turn, _SELECTING_MESSAGES))
    called = [call.name for step in turn.steps for call in step.calls]
    return ToolSelection(tools, turn.message.text, before, called)


def _ask_person(correction: CorrectionRound, checked: CheckedCalls) -> Interpretation:
    question = ask_about_problems(correction.turn, checked.problems)
    if correction.fresh:
        return Interpretation(calls=correction.fresh, notice=question)
    return Interpretation(answer=question, must_reply=True)
