"""What the person's own words ask for, as against what others wrote that entered the turn."""

import re

from function_calls.model_calls.transcript import result_text
from function_calls.offline.examples import ExampleSentences
from function_calls.offline.pack import language_of, load_pack
from function_calls.offline.requests import Ear, Request
from function_calls.tools.calls import Turn
from function_calls.tools.context import CallContext
from services.kernel.chat import ChatMessage
from services.time_expressions import limited_effort, parse_all

_RESULTS = frozenset({"tool", "function"})  # roles of messages that tools of a client have written
_CALLED = re.compile(r"^\W*\w+[,:，：]\s*")  # "Bubbles, …": whoever is called, the rest is what is asked


def asked_for(turn: Turn, message: ChatMessage, before: frozenset[str] | None = None) -> frozenset[str] | None:
    """Return the tools that the person who wrote `message` asks for; None as long as nothing untrusted is in `turn`.

    Calls count that were chosen before the untrusted text was there, and requests that are read out of the person's
    own words without a model. `before` is what was known when the turn was handed to an agent.
    """
    place = _first_untrusted(turn)
    if place is None and before is None:
        return None
    chosen = before
    if chosen is None:
        steps = turn.steps[: (place or 0) + 1] if place is not None and place >= 0 else ()
        chosen = frozenset(call.name for step in steps for call in step.calls)
    return chosen | intents_of(turn, message)


def was_shown(turn: Turn, text: str) -> bool:
    """True where `text` stands as it is in the message, those before it, or a result, so that nobody composed it."""
    results = (result_text(result) for step in turn.steps for result in step.results)
    return any(text in shown for shown in (turn.message.text, *(each.text for each in turn.recent), *results))


@limited_effort()
def intents_of(turn: Turn, message: ChatMessage) -> frozenset[str]:
    """The names of the tools that the words of `message` ask for, read by sentence patterns and tools' examples."""
    ear = Ear(
        pack=load_pack(language_of(message.text, turn.language)),
        now=turn.said_at,
        names=(turn.bot_name,),
        is_addressed=message.is_addressed or message.is_private,
        read_times=parse_all,
    )
    found = {request.intent for request in ear.requests(message.text)}
    example = ExampleSentences().match(ear.core(message.text), turn.tools, is_addressed=ear.is_addressed)
    return frozenset(found if example is None else found | {example[0]})


def clauses_that_ask_for(intent: str, context: CallContext) -> tuple[str, ...]:
    """Return the parts of the message of a call that sentence patterns read as asking for `intent`."""
    found = [request.clause for request in requests_in(context, intent)]
    return tuple(clause.restore(clause.text) for clause in found)


@limited_effort()
def requests_in(context: CallContext, intent: str = "") -> tuple[Request, ...]:
    """Return what sentence patterns read out of the message of a call: all of it, or what asks for `intent`."""
    text = context.message.text
    ear = Ear(
        pack=load_pack(language_of(text, context.language)),
        now=context.said_at,
        names=(),
        is_addressed=True,
        read_times=parse_all,
    )
    for words in (text, _CALLED.sub("", text)):
        found = tuple(request for request in ear.requests(words) if intent in {"", request.intent})
        if found:
            return found
    return ()


def _first_untrusted(turn: Turn) -> int | None:
    """Return the round whose results brought in untrusted text; -1 when it was there before, or is quoted."""
    if _quotes_somebody(turn) or any(each["role"] in _RESULTS for each in turn.client_messages or ()):
        return -1
    places = (place for place, step in enumerate(turn.steps) if any(each.is_untrusted for each in step.results))
    return next(places, None)


def _quotes_somebody(turn: Turn) -> bool:
    quoted = next((each for each in turn.recent if each.id == turn.message.reply_to), None)
    return quoted is not None and not quoted.sender.is_bot and quoted.sender.id != turn.message.sender.id
