"""Replace the time, content and people of a model's `reminder_set` calls by those of the message."""

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from function_calls.tools.calls import ToolCall, Turn
from function_calls.understanding.arguments import schedule_arguments
from function_calls.understanding.requests import Ear
from function_calls.understanding.time_words import TimeWords
from services.time_expressions import Reading

_TIMES = ("type", "time", "weekday", "rrule")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")


class Mending:
    """Mends the `reminder_set` calls of one turn."""

    def __init__(self, turn: Turn, reader: Ear) -> None:
        self._turn = turn
        self._reader = reader
        self._sender = turn.message.sender.name.casefold()
        self._written = "\n".join([turn.message.text, *(each.text for each in turn.recent)]).casefold()
        self._everyone = {word.casefold() for word in reader.pack.data.everyone}

    def mend(self, chosen: Sequence[ToolCall], own: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Return `chosen` with the arguments of `own`, read from the message; split several requests taken for one."""
        if len(own) > len(chosen):
            return tuple(own)
        if len(own) == 1 and self._are_one(chosen, own[0]):
            return (self._merged(chosen[0], own[0].arguments),)
        if len(chosen) > 1:
            return tuple(self._merged(call, {}) for call in chosen)
        return (self._merged(chosen[0], own[0].arguments if own else self._read(chosen[0])),)

    def _are_one(self, chosen: Sequence[ToolCall], own: ToolCall) -> bool:
        """Return whether calls mean the same, however they word the time: a missing day is today.

        Several days are one request where the message names a repetition.
        """
        repeats = "rrule" in own.arguments or own.arguments.get("type", "once") != "once"
        days = {_first(_DAY, call) for call in chosen} - {"", f"{self._turn.message_time:%Y-%m-%d}"}
        gists = {(str(call.arguments.get("content", "")).casefold(), _first(_CLOCK, call)) for call in chosen}
        return len(gists) == 1 and (repeats or len(days) <= 1)

    def mentioned_content(self, call: ToolCall) -> str:
        """Return what the model would remind of, if somebody mentioned it."""
        content = str(call.arguments.get("content", ""))
        return content if self._is_written(content) else ""

    def _read(self, call: ToolCall) -> Mapping[str, object]:
        """Return the only time of a message that is not read as a request, and the words beside it."""
        clause = self._reader.clause(self._reader.core(self._turn.message.text))
        if len(clause.times) != 1:
            return {}
        reading = _reading(clause.times[0], str(call.arguments.get("time", "")))
        content = "" if self._is_written(str(call.arguments.get("content", ""))) else self._reader.without_times(clause)
        times = schedule_arguments(reading, self._turn.message_time) if reading is not None else {}
        return {**times, "content": content}

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
        steps = tuple(f"/{name}: read from the message" for name in changed)
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

    def _is_written(self, content: str) -> bool:
        """Return whether every word of `content` was written; Chinese is compared character by character."""
        words = content.casefold().split()
        return bool(words) and all(word in self._written or _in_pieces(word, self._written) for word in words)


def _first(pattern: re.Pattern[str], call: ToolCall) -> str:
    """Return what `pattern` finds in the time of a call, or ""."""
    found = pattern.search(str(call.arguments.get("time", "")))
    return found[0] if found else ""


def _reading(time: TimeWords, chosen: str) -> Reading | None:
    """Return the meaning of a time; where the half of the day is open, the reading with the chosen clock."""
    if time.best is None or time.lead is not None:
        return None
    if not time.is_ambiguous:
        return time.best
    clock = _CLOCK.search(chosen)
    wanted = (int(clock[1]), int(clock[2])) if clock else None
    fitting = [each for each in time.readings if (each.start.hour, each.start.minute) == wanted]
    return fitting[0] if len(fitting) == 1 else None


def _in_pieces(word: str, text: str) -> bool:
    return not word.isascii() and all(character in text for character in word if character.isalnum())
