"""Put the person's own words in the place of what a model made of them: the time, the content, the people."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from function_calls.calls import ToolCall, Turn
from function_calls.offline.requests import Ear

_TIMES = ("type", "time", "weekday", "rrule")


class Mending:
    """Mends the `reminder_set` calls of one turn."""

    def __init__(self, turn: Turn, ear: Ear) -> None:
        self._sender = turn.message.sender.name.casefold()
        self._said = "\n".join([turn.message.text, *(each.text for each in turn.recent)]).casefold()
        self._is_everyone = {word.casefold() for word in ear.pack.data.everyone}

    def mend(self, chosen: Sequence[ToolCall], own: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """`chosen` by the model, with what the patterns read in `own`; several requests taken for one are set apart."""
        if len(own) > len(chosen):
            return tuple(own)
        if len(own) == len(chosen) == 1:
            return (self._merged(chosen[0], own[0].arguments),)
        return tuple(self._merged(call, {}) for call in chosen)

    def _merged(self, call: ToolCall, own: Mapping[str, object]) -> ToolCall:
        """The call with the time, content and person that the words say, where they say them."""
        given = dict(call.arguments)
        if own:
            times = {name: own[name] for name in _TIMES if name in own}
            given = {name: value for name, value in given.items() if name not in _TIMES} | times
            given["content"] = self._content(str(given.get("content", "")), str(own.get("content", "")))
        given.pop("person", None)
        person = self._person(str(call.arguments.get("person") or ""), str(own.get("person") or ""))
        arguments = given | ({"person": person} if person else {})
        steps = tuple(
            f"/{name}: read from the message" for name in arguments if arguments[name] != call.arguments.get(name)
        )
        return replace(call, arguments=arguments, repairs=(*call.repairs, *steps))

    def _content(self, chosen: str, own: str) -> str:
        """The model's content, unless nobody said it or the request's own words are still in it."""
        if not own:
            return chosen
        is_wider = own.casefold() in chosen.casefold()
        return chosen if self._is_said(chosen) and not is_wider else own

    def _person(self, chosen: str, own: str) -> str:
        """Who is reminded: never somebody of whom nobody spoke."""
        name = chosen.strip().removeprefix("@").casefold()
        if not name or name == self._sender:
            return own
        if name in self._is_everyone:
            return chosen if any(word in self._said for word in self._is_everyone) else own
        return chosen if name in self._said else own

    def _is_said(self, content: str) -> bool:
        """Whether every word of `content` was said; Chinese is compared character by character."""
        words = content.casefold().split()
        return bool(words) and all(word in self._said or _in_pieces(word, self._said) for word in words)


def _in_pieces(word: str, text: str) -> bool:
    return not word.isascii() and all(character in text for character in word if character.isalnum())
