"""Read the message that calls are compared with: the calls that the rules make of it, its intents and its parts."""

import re
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, ToolCall, Turn
from function_calls.tools.catalog.model_call_validation import is_same
from function_calls.understanding.interpreter import OfflineInterpreter
from function_calls.understanding.reading.lexicon import detect_language
from function_calls.understanding.reading.message import (
    Classification,
    MessageReading,
    Situation,
    classify_tokens,
    has_models,
    load_models,
    set_best_intent,
    tag_tokens,
    tokenize_message,
)
from function_calls.understanding.reading.names import strip_calls
from function_calls.understanding.reading.tokens import Token
from services.time_expressions import ReadTimes, limited_effort, parse_all

PART: Final = re.compile(r"[,;.!?，。；！？、\n]|\band\b|并且|然后|然後", re.IGNORECASE)
_MAX_TEXT_LENGTH: Final = 500
_WORDINGS: Final = frozenset({"content", "added"})
"""Arguments with words of the message."""
_MARKS: Final = re.compile(r"^(?:at|a las?) |[@,;.!?，。；！？、\"“”]", re.IGNORECASE)
_TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "reminder_set": ("set", "repeat_last", "answer_when", "answer_content"),
    "reminder_list": ("list", "when_is", "next_page", "who_set"),
    "reminder_delete": ("delete",),
    "reminder_update": (
        *("move", "reword", "append", "skip", "until", "nag", "once", "urgent", "not_urgent", "keep_days", "add_days"),
        *("person_add", "person_remove", "person_set", "catch_up_all", "catch_up_latest", "catch_up_none"),
    ),
    "reminder_snooze": ("snooze",),
    "reminder_state": ("pause", "resume", "done", "join", "leave"),
    "undo": ("undo",),
    "summary": ("summary",),
    "summary_schedule": ("summary_schedule",),
    "perplexity_search": ("ask",),
    "memory_save": ("remember",),
    "memory_forget": ("forget",),
    "time_zone": ("zone", "zone_move"),
    "quiet_hours": ("quiet",),
}
"""The intents of messages that ask for a function."""
KNOWN_TOOLS: Final[AbstractSet[str]] = _TOOLS.keys()


class ReadMessage:
    """One message as the rules read it, without the dialogue before it; everything is read when first asked for."""

    def __init__(self, turn: Turn, *, read_times: ReadTimes = parse_all) -> None:
        self.turn = replace(turn, steps=())
        self.text = turn.message.text
        self._read_times = read_times

    @cached_property
    def _interpreted(self) -> Interpretation:
        return OfflineInterpreter(read_times=self._read_times).read(self.turn)

    @property
    def is_clear(self) -> bool:
        """Return whether the rules would ask nothing beside their calls."""
        return not self._interpreted.answer

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls that the rules make of the message, each once; their questions are left out."""
        found: list[ToolCall] = []
        for call in self._interpreted.calls:
            found += [] if any(is_same(call, other) for other in found) else [call]
        return tuple(found)

    @cached_property
    def reading(self) -> MessageReading | None:
        """Return the message as the trained network reads it; None where it is too long or of another language."""
        if self._classified is None:
            return None
        return tag_tokens(self._words, self._tokens, self._classified, load_models(self.language))

    @cached_property
    def _classified(self) -> Classification | None:
        """The vectors and intents of `reading`, for which no word needs a tag."""
        if not (has_models(self.language) and 0 < len(self._words) <= _MAX_TEXT_LENGTH):
            return None
        message = self.turn.message
        situation = Situation(is_addressed=message.is_for_bot)
        return classify_tokens([token.form for token in self._tokens], situation, load_models(self.language))

    @cached_property
    def _shares(self) -> Mapping[str, float] | None:
        return None if self._classified is None else dict(self._classified.intents)

    @cached_property
    def _tokens(self) -> tuple[Token, ...]:
        models, now = load_models(self.language), self.turn.message_time
        with limited_effort():
            return tokenize_message(self._words, now, models, self._read_times, self.language)

    @cached_property
    def _words(self) -> str:
        """The text without the names by which the bot is called."""
        return strip_calls(self.text, self.turn.bot_name).strip()

    @property
    def is_known(self) -> bool:
        """Return whether the training sentences have the words of the message."""
        return self.reading is not None and load_models(self.language).knows(self.reading)

    @cached_property
    def language(self) -> str:
        """Return the language of the message."""
        return detect_language(self.text, self.turn.language)

    def calls_of(self, tools: Collection[str]) -> tuple[ToolCall, ...]:
        """Return those of `calls` that call one of `tools`."""
        return tuple(call for call in self.calls if call.name in tools)

    def agrees(self, call: ToolCall) -> bool:
        """Return whether the rules make the same call of the message in its dialogue.

        A single call may have other words of the message as its content.
        """
        alike = [own for own in self.turn.rule_calls if own.name == call.name]
        known = {*_plain(self.text).split()} if len(alike) == 1 else set()
        return any(_is_alike(call, own, known) for own in alike)

    def asks_first_for(self, tools: Collection[str]) -> bool:
        """Return whether the most probable intent asks for one of `tools`; True for a message without a reading."""
        if self._classified is None:
            return True
        first = self._classified.intents[0][0]
        return any(first in _TOOLS.get(tool, ()) for tool in tools)

    def share_of(self, tool: str) -> float:
        """Return the probability that the message asks for `tool`; 1 for a tool that no intent stands for."""
        intents, shares = _TOOLS.get(tool), self._shares
        if intents is None or shares is None:
            return 1.0
        return sum([shares.get(intent, 0.0) for intent in intents])

    def pieces(self, intent: str, *tags: str) -> list[str]:
        """Return the pieces of the message with one of `tags`, read as one of `intent`."""
        if self.reading is None:
            return []
        reading = set_best_intent(self.reading, intent, load_models(self.language))
        return [piece.strip() for tag in tags for piece in reading.pieces(tag)]

    def parts_for(self, tool: str) -> tuple[str, ...]:
        """Return the parts of the message that ask for `tool`; all of it where it asks for one thing."""
        if len({call.name for call in self.calls}) < 2:
            return (self.text,)
        return tuple(part for part in PART.split(self.text) if part.strip() and self._is_for(part, tool)) or (
            self.text,
        )

    def _is_for(self, part: str, tool: str) -> bool:
        message = replace(self.turn.message, text=part, is_addressed=True)
        read = ReadMessage(replace(self.turn, message=message, rule_calls=()), read_times=self._read_times)
        return bool(read.calls_of({tool}))


def _plain(value: object) -> str:
    """Return an argument for comparison, without marks, capitals and the word in front of a time."""
    return "" if value is None else " ".join(_MARKS.sub(" ", str(value).strip()).casefold().split())


def _is_alike(call: ToolCall, own: ToolCall, known: AbstractSet[str]) -> bool:
    """Return whether two calls have equal arguments, and wordings of equal words or those in `known`."""
    chosen, read = call.arguments, own.arguments
    names = (chosen.keys() | read.keys()) - _WORDINGS
    if any(_plain(chosen.get(name)) != _plain(read.get(name)) for name in names):
        return False
    wordings = [{word for name in _WORDINGS for word in _plain(each.get(name)).split()} for each in (chosen, read)]
    return wordings[0] ^ wordings[1] <= known
