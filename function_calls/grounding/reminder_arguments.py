"""Replace the time, content and people of a model's `reminder_set` calls by those of the message."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from function_calls.grounding.corrections import READ
from function_calls.grounding.message import ReadMessage
from function_calls.tools.calls import ToolCall
from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.message import load_models, set_best_intent
from function_calls.understanding.reading.slots.contents import extract_content
from function_calls.understanding.reading.times import set_clock
from function_calls.understanding.reminder_times import make_schedule_arguments
from services.time_expressions import Reading, TimeReadings, parse_all

_TIMES: Final = ("type", "time", "weekday", "rrule")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})")
_HALF: Final = re.compile(r"[ap]\.?m\b|[01]?\d:\d\d:|(?:1[3-9]|2[0-3]):", re.IGNORECASE)


class SetCalls:
    """Corrects the `reminder_set` calls for one message."""

    def __init__(self, message: ReadMessage) -> None:
        turn = message.turn
        self._message = message
        self._sender = turn.message.sender.name.casefold()
        self._written = "\n".join([message.text, *(each.text for each in turn.recent)]).casefold()
        self._everyone = load_lexicon(message.language).everyone

    @property
    def content(self) -> str:
        """Return the content that the trained network read in the message."""
        if self._message.reading is None:
            return ""
        language = self._message.language
        return extract_content(
            set_best_intent(self._message.reading, "set", load_models(language)), load_lexicon(language)
        )

    def correct(self, chosen: Sequence[ToolCall], own: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Return `chosen` with the arguments of `own`, read from the message; split several requests taken for one."""
        if len(own) > len(chosen):
            return tuple(own)
        if len(own) == 1 and self._are_one(chosen, own[0]):
            return (self._merged(chosen[0], own[0].arguments),)
        if len(chosen) > 1:
            return tuple(self._merged(call, {}) for call in chosen)
        return (self._merged(chosen[0], own[0].arguments if own else self._read(chosen[0])),)

    def mentioned_content(self, call: ToolCall) -> str:
        """Return what the model would remind of, if somebody mentioned it."""
        chosen = str(call.arguments.get("content", ""))
        return chosen if self._is_written(chosen) else ""

    def _are_one(self, chosen: Sequence[ToolCall], own: ToolCall) -> bool:
        """Return whether calls mean the same, however they word the time: a missing day is today.

        Several days are one request where the message names a repetition.
        """
        repeats = "rrule" in own.arguments or own.arguments.get("type", "once") != "once"
        days = {_first(_DAY, call) for call in chosen} - {"", f"{self._message.turn.message_time:%Y-%m-%d}"}
        gists = {(str(call.arguments.get("content", "")).casefold(), _first(_CLOCK, call)) for call in chosen}
        return len(gists) == 1 and (repeats or len(days) <= 1)

    def _read(self, call: ToolCall) -> Mapping[str, object]:
        """Return the only time of a message that is not read as a request, and the content that it may have.

        In the dialogue it may be read as one: "the evening before at 9" has a day there.
        """
        turn, text = self._message.turn, self._message.text
        found = [each for each in parse_all(text, turn.message_time, language=self._message.language) if each.readings]
        if len(found) != 1:
            return {}
        in_dialogue = [each for each in turn.rule_calls if each.name == call.name]
        if len(in_dialogue) == 1:
            return in_dialogue[0].arguments
        reading = _with_half(found[0], str(call.arguments.get("time", "")))
        is_written = self._is_written(str(call.arguments.get("content", "")))
        times = make_schedule_arguments(reading, turn.message_time) if reading is not None else {}
        return {**times, "content": "" if is_written else self.content}

    def _merged(self, call: ToolCall, own: Mapping[str, object]) -> ToolCall:
        """Return the call with the time, content and person of the message, where it names them."""
        given = dict(call.arguments)
        if "time" in own:
            given = {name: value for name, value in given.items() if name not in _TIMES}
            given |= {name: own[name] for name in _TIMES if name in own}
        if own.get("content"):
            given["content"] = self._content(str(given.get("content", "")), str(own["content"]))
        given.pop("person", None)
        person = self._person(str(call.arguments.get("person") or ""), str(own.get("person") or ""))
        merged = given | ({"person": person} if person else {})
        in_order = dict.fromkeys([*call.arguments, *merged])  # as the model wrote them, for whoever reads the record
        arguments = {name: merged[name] for name in in_order if name in merged}
        changed = [name for name, value in arguments.items() if value != call.arguments.get(name)]
        steps = tuple(f"/{name}: {READ}" for name in changed)
        return replace(call, arguments=arguments, repairs=(*call.repairs, *steps))

    def _content(self, chosen: str, own: str) -> str:
        """Return the model's content, unless nobody wrote it or it contains more of the request."""
        is_wider = own.casefold() in chosen.casefold()
        return chosen if self._is_written(chosen) and not is_wider else own

    def _person(self, chosen: str, own: str) -> str:
        """Return who is reminded: never somebody whom nobody mentioned."""
        name = chosen.strip().removeprefix("@").casefold()
        if not name or name == self._sender:
            return own
        if name in self._everyone:
            return chosen if any(word in self._written for word in self._everyone) else own
        return chosen if name in self._written else own

    def _is_written(self, text: str) -> bool:
        """Return whether every word of `text` was written; Chinese is compared character by character."""
        words = text.casefold().split()
        return bool(words) and all(word in self._written or _in_pieces(word, self._written) for word in words)


def _first(pattern: re.Pattern[str], call: ToolCall) -> str:
    """Return what `pattern` finds in the time of a call, or ""."""
    found = pattern.search(str(call.arguments.get("time", "")))
    return found[0] if found else ""


def _with_half(found: TimeReadings, chosen: str) -> Reading | None:
    """Return the meaning of a time; where its words leave the half of the day open, at the chosen clock."""
    best, clock = found.readings[0], _CLOCK.search(chosen)
    words = " ".join(found.text[start:end] for start, end in best.spans)
    is_open = found.ambiguous or not (best.part or _HALF.search(words))
    is_other_half = clock is not None and (int(clock[1]) % 12, int(clock[2])) == (
        best.start.hour % 12,
        best.start.minute,
    )
    if clock is not None and is_open and is_other_half:
        return set_clock(best, best._replace(start=best.start.replace(hour=int(clock[1]))))
    return None if found.ambiguous else best


def _in_pieces(word: str, text: str) -> bool:
    return not word.isascii() and all(character in text for character in word if character.isalnum())
