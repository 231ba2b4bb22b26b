"""Review the calls that a model chose: does the message ask for them, and for something else instead?"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from function_calls.grounding.corrections import correct_arguments
from function_calls.grounding.message import KNOWN_TOOLS, ReadMessage
from function_calls.grounding.reminder_arguments import SetCalls
from function_calls.grounding.request_cues import asks_about_talk, asks_each_other, only_tells
from function_calls.language.messages import say
from function_calls.tools.calls import ToolCall, Turn
from function_calls.understanding.tool_calls import CallMaker
from services.reminders.lookup.references import means_all
from services.time_expressions import ReadTimes, limited_effort, parse_all

_SET: Final = "reminder_set"
_LIST: Final = "reminder_list"
_STATE: Final = "reminder_state"
_SUMMARY: Final = "summary"
_REFERENCE: Final = "reminder_id"
_SEARCH: Final = "perplexity_search"
_LOOK_UP: Final = frozenset({_SEARCH, _SUMMARY})
_TAKEN_FOR_A_REMINDER: Final = _LOOK_UP | {_LIST, "memory_save", "quiet_hours"}
_CHANGES: Final = frozenset({"reminder_update", "reminder_snooze", "reminder_delete"})
_TAKEN_FOR_A_STATE: Final = frozenset({_SET, "reminder_delete"})
_DISTINCT: Final = _LOOK_UP | _CHANGES | {_SET, _LIST, _STATE}
"""Tools whose requests are told apart by their words; a deleted note and a deleted reminder are not."""
_LIKELY: Final = 0.3
"""The least probability of a request for a reminder among people who do not speak to the bot."""
_UNLIKELY: Final = 0.1
"""The probability below which nothing in a message asks for a tool."""


class Review(Struct, frozen=True, kw_only=True):
    """The calls to make, and the question to the person where something is missing."""

    calls: tuple[ToolCall, ...]
    question: str = ""


class RuleBasedReview:
    """Accepts, corrects or drops a model's calls by what the rules read in the message; it keeps nothing between turns.

    Only the functions that the rules know are judged.
    """

    def __init__(self, *, read_times: ReadTimes = parse_all) -> None:
        self._read_times = read_times

    def review(self, turn: Turn, calls: Sequence[ToolCall]) -> Review:
        """Return the corrected `calls`, the first choice of a model for `turn`.

        Calls that the rules make as well, in the dialogue, stay as they are; other calls of the same functions are
        corrected, but not dropped. A message that only tells something, or takes its request back, leaves no other
        calls. Where nobody named a time, the person is asked, or nothing is said when nobody mentioned the content
        either. Among people who do not speak to the bot, only a probable request sets a reminder. A plain request that
        was taken for another one is done.
        """
        message = self._read(turn)
        if all(message.agrees(call) for call in calls):
            return Review(calls=tuple(calls))
        own, is_report = message.calls, _only_tells(message)
        in_dialogue = {call.name for call in turn.rule_calls}
        if _is_mixed_up(calls, own) and not (is_report or in_dialogue.issuperset(call.name for call in calls)):
            return Review(calls=own)
        left = list(_with_one_for_all(_without_unasked(calls, own), own))
        if is_report:
            left = [call for call in calls if call.name not in KNOWN_TOOLS or call.name in in_dialogue]
        if not (turn.message.is_for_bot or _SET in in_dialogue or message.share_of(_SET) >= _LIKELY):
            left = [call for call in left if call.name != _SET]
        reminders = [call for call in left if call.name == _SET]
        if not reminders:
            return Review(calls=tuple(left))
        set_calls = SetCalls(message)
        others = [call for call in left if call.name != _SET]
        if not (_SET in in_dialogue or message.calls_of({_SET}) or self._is_timed(turn)):
            content = set_calls.content if message.share_of(_SET) >= _LIKELY else ""
            content = content or (set_calls.mentioned_content(reminders[0]) if turn.message.is_for_bot else "")
            question = say(turn.language, "offline.when", content=content) if content else ""
            return Review(calls=tuple(others), question=question)
        corrected = set_calls.correct(reminders, [call for call in own if call.name == _SET])
        place = left.index(reminders[0])
        return Review(calls=(*others[:place], *corrected, *others[place:]))

    def instead(self, turn: Turn, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Return the calls that `turn` plainly asks for, where none of its words supports any of `calls`."""
        message = self._read(turn)
        if any(message.share_of(call.name) >= _UNLIKELY for call in calls):
            return ()
        plain = self._missed(message)
        names = {call.name for call in plain}
        return plain if names <= _DISTINCT and not names & {call.name for call in calls} else ()

    def missed(self, turn: Turn) -> tuple[ToolCall, ...]:
        """Return the calls that `turn` plainly asks for, where a model that may only choose a tool chose none.

        Put to the bot, a question about the world is searched for and one about what was said here is summed up: a
        model that answers these from memory makes it up.
        """
        return self._missed(self._read(turn))

    @staticmethod
    def _missed(message: ReadMessage) -> tuple[ToolCall, ...]:
        text, language, maker = message.text, message.language, CallMaker(message.turn)
        if _only_tells(message):
            return ()
        if message.turn.message.is_for_bot and asks_about_talk(text, language) and maker.offers(_SUMMARY):
            return (maker.call(_SUMMARY, {}),)
        is_small_talk = asks_each_other(text, language)
        return tuple(call for call in message.calls if not (call.name == _SEARCH and is_small_talk))

    def _read(self, turn: Turn) -> ReadMessage:
        return ReadMessage(turn, read_times=self._read_times)

    @limited_effort()
    def _is_timed(self, turn: Turn) -> bool:
        """Return whether the message, or one before it, names a time."""
        texts = (turn.message.text, *(each.text for each in turn.recent))
        return any(self._read_times(text, turn.message_time, language=turn.language) for text in texts)


def _only_tells(message: ReadMessage) -> bool:
    """Return whether a message only reports something; the content of a reminder that it sets may tell anything."""
    text = message.text
    for call in message.calls_of({_SET}):
        text = text.replace(str(call.arguments.get("content", "")) or text, " ")
    return only_tells(text, message.language)


def _is_mixed_up(chosen: Sequence[ToolCall], own: Sequence[ToolCall]) -> bool:
    """Return whether the model that has `chosen` took a plain request, read as `own`, for another one.

    A reminder that is asked for is not looked up or noted instead, nor a list of reminders searched for; where
    something is asked about one that is set, no other is set. What is paused or left out for once is neither set nor
    deleted. To list before something is deleted or changed is no mistake.
    """
    names, plain = {call.name for call in chosen}, {call.name for call in own}
    if not own or names & plain:
        return False
    if plain == {_SET}:
        return names <= _TAKEN_FOR_A_REMINDER
    if plain == {_LIST} and names <= _LOOK_UP:
        return True
    if plain == {_STATE}:
        return names <= _TAKEN_FOR_A_STATE
    return plain <= _CHANGES | {_LIST} and _SET in names and names <= {_SET, _LIST} | _CHANGES


def _without_unasked(chosen: Sequence[ToolCall], own: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return `chosen` without changes of reminders, where the message only sets reminders."""
    plain = {_content(call) for call in own}
    is_all_set = {call.name for call in own} == {_SET} and plain == {
        _content(call) for call in chosen if call.name == _SET
    }
    return tuple(call for call in chosen if not (is_all_set and call.name in _CHANGES))


def _with_one_for_all(chosen: Sequence[ToolCall], own: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return `chosen` with the one reminder that the message names, where all would be changed."""
    named = {call.name: call.arguments.get(_REFERENCE) for call in own}

    def one(call: ToolCall) -> ToolCall:
        reference, is_all = named.get(call.name), means_all(str(call.arguments.get(_REFERENCE) or ""))
        if not is_all or not isinstance(reference, str) or not reference or means_all(reference):
            return call
        return correct_arguments(call, {_REFERENCE: reference})

    return tuple(one(call) for call in chosen) if len(own) == 1 else tuple(chosen)


def _content(call: ToolCall) -> str:
    return str(call.arguments.get("content", "")).casefold()
