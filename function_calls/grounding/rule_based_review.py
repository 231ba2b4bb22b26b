"""Review a model's calls against what the rules read in the message."""

from collections.abc import Sequence

from function_calls.grounding.confusable_tools import is_mixed_up, with_one_for_all, without_unasked
from function_calls.grounding.mending import Mending
from function_calls.grounding.request_cues import asks_about_talk, asks_for_news, only_tells
from function_calls.grounding.review import Review
from function_calls.language.messages import say
from function_calls.tools.calls import ToolCall, Turn
from function_calls.tools.catalog.model_call_validation import is_same
from function_calls.understanding.answering import Answering
from function_calls.understanding.direct import direct_call
from function_calls.understanding.open_questions import OpenQuestions
from function_calls.understanding.pack import language_of, load_intent_gate, load_pack
from function_calls.understanding.questions import asks_the_world
from function_calls.understanding.requests import Ear
from function_calls.understanding.time_words import TimeReader
from function_calls.understanding.tool_calls import CallMaker
from services.time_expressions import limited_effort, parse_all

SET = "reminder_set"
SEARCH = "perplexity_search"
SUMMARY = "summary"
STATE = "reminder_state"


class RuleBasedReview:
    """Accepts, corrects or drops a model's calls; it keeps nothing between turns.

    Only the functions that the sentence patterns know are judged. What cannot be said with some certainty is left as
    the model chose it.
    """

    def __init__(self, *, read_times: TimeReader = parse_all) -> None:
        self._read_times = read_times

    @limited_effort()
    def review(self, turn: Turn, calls: Sequence[ToolCall]) -> Review:
        """Return the corrected `calls`, the first choice of a model for `turn`.

        A message that only tells something, or takes its request back, leaves none of them. A reminder gets the time
        that the person's words say, where they say one; where no time was named by anybody, the person is asked, or
        nothing is said when nobody spoke of the content either. Among people who do not speak to the bot, only a
        message with a word for reminding sets one. A plain request that was taken for another one is done as it was
        said.
        """
        reader = self._reader(turn)
        own = self._own_calls(turn, reader)
        plain = own or self._state_asked_for(turn, reader)
        if is_mixed_up(calls, plain) and not only_tells(turn.message.text, reader.pack):
            return Review(calls=plain)
        left = list(with_one_for_all(without_unasked(calls, own), own))
        if only_tells(turn.message.text, reader.pack):
            # What a reminder is about may tell anything; a sentence that is a request as a whole stays one.
            is_asked = any(call.name == SET for call in own)
            left = [call for call in calls if not self._is_known(call, reader) or (call.name == SET and is_asked)]
        if not _may_ask_for_a_reminder(turn, reader):
            left = [call for call in left if call.name != SET]
        reminders = [call for call in left if call.name == SET]
        if not reminders:
            return Review(calls=tuple(left))
        mending = Mending(turn, reader)
        if not self._is_timed(turn, reader):
            content = self._own_content(turn, reader)
            if not content and reader.is_addressed:
                content = mending.mentioned_content(reminders[0])
            question = say(turn.language, "offline.when", content=content) if content else ""
            return Review(calls=tuple(call for call in left if call.name != SET), question=question)
        corrected = mending.mend(reminders, [call for call in own if call.name == SET])
        place = left.index(reminders[0])
        others = [call for call in left if call.name != SET]
        return Review(calls=(*others[:place], *corrected, *others[place:]))

    @limited_effort()
    def instead(self, turn: Turn, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Return the calls that `turn` plainly asks for, where none of its words supports any of `calls`."""
        reader = self._reader(turn)
        if not all(self._is_unspoken(call, turn, reader) for call in calls):
            return ()
        plain = self.missed(turn)
        return () if {call.name for call in plain} & {call.name for call in calls} else plain

    @limited_effort()
    def missed(self, turn: Turn) -> tuple[ToolCall, ...]:
        """Return the calls that `turn` plainly asks for, where a model that may only choose a tool chose none.

        Put to the bot, a question about the world is searched for and one about what was said here is summed up: a
        model that answers these from memory makes it up.
        """
        reader = self._reader(turn)
        own = self._own_calls(turn, reader)
        if own:
            return () if only_tells(turn.message.text, reader.pack) else own
        text, maker = turn.message.text, CallMaker(turn)
        if not reader.is_addressed:
            return ()
        if asks_about_talk(text, reader.pack) and maker.offers(SUMMARY):
            return (maker.call(SUMMARY, {}),)
        is_search = asks_the_world(text, reader.pack) or asks_for_news(text, reader.pack)
        query = reader.core(text) if is_search else ""
        return (maker.call(SEARCH, {"query": query}),) if query and maker.offers(SEARCH) else ()

    def _own_calls(self, turn: Turn, reader: Ear) -> tuple[ToolCall, ...]:
        """Return the calls that the rules make of the message, without their questions."""
        requests = reader.requests(turn.message.text)
        if not requests:
            return ()
        calls: list[ToolCall] = []
        for call in Answering(turn, reader, OpenQuestions(), "").interpretation(requests).calls:
            calls += [] if any(is_same(call, other) for other in calls) else [call]
        return tuple(calls)

    @staticmethod
    def _state_asked_for(turn: Turn, reader: Ear) -> tuple[ToolCall, ...]:
        """Return the call that pauses, resumes or skips reminders, where the message is nothing else."""
        direct, maker = direct_call(turn.message.text, reader), CallMaker(turn)
        if direct is None or direct.tool != STATE or not maker.offers(STATE):
            return ()
        return (maker.call(STATE, direct.arguments),)

    def _reader(self, turn: Turn) -> Ear:
        return Ear(
            pack=load_pack(language_of(turn.message.text, turn.language)),
            now=turn.message_time,
            names=(turn.bot_name,),
            is_addressed=turn.message.is_addressed or turn.message.is_private,
            read_times=self._read_times,
        )

    @staticmethod
    def _is_unspoken(call: ToolCall, turn: Turn, reader: Ear) -> bool:
        """Whether the patterns know the function and the message has none of the words that its requests have."""
        if call.name not in reader.pack.data.intents:
            return False
        gate = load_intent_gate(reader.pack.language, call.name)
        return gate.search(reader.pack.fold(turn.message.text)) is None

    @staticmethod
    def _own_content(turn: Turn, reader: Ear) -> str:
        """Return the content that the rules read in the message, whatever its time."""
        wanted = (each for request in reader.requests(turn.message.text) for each in request.reminders)
        return next((each.content for each in wanted), "")

    @staticmethod
    def _is_known(call: ToolCall, reader: Ear) -> bool:
        """Whether the patterns know the function well enough to miss it in a message."""
        return call.name in reader.pack.data.intents or call.name == SEARCH

    @staticmethod
    def _is_timed(turn: Turn, reader: Ear) -> bool:
        """Whether the message, or one before it, names a time."""
        return any(reader.clause(text).times for text in (turn.message.text, *(each.text for each in turn.recent)))


def _may_ask_for_a_reminder(turn: Turn, reader: Ear) -> bool:
    """Whether somebody speaks to the bot, or the message has a word that every request for a reminder has."""
    text = reader.pack.fold(turn.message.text)
    return reader.is_addressed or load_intent_gate(reader.pack.language, SET).search(text) is not None
