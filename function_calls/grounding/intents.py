"""Detect the intents of the person's own words, as opposed to untrusted text in the turn."""

import re
from collections.abc import Collection

from function_calls.model_calls.transcript import result_text
from function_calls.tools.calls import Turn
from function_calls.tools.context import CallContext
from function_calls.understanding.examples import ExampleSentences
from function_calls.understanding.pack import language_of, load_pack
from function_calls.understanding.requests import Ear, Request
from services.kernel.chat import ChatMessage
from services.time_expressions import limited_effort, parse_all

_RESULTS = frozenset({"tool", "function"})  # roles of messages written by a client's tools
_CALLED = re.compile(r"^\W*\w+[,:，：]\s*")  # "Bubbles, …": the rest after a name in front


def asked_for(turn: Turn, message: ChatMessage, before: frozenset[str] | None = None) -> frozenset[str] | None:
    """Return the tools that `message` asks for; None as long as nothing untrusted is in `turn`.

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
    """Return whether `text` is contained in the message, an earlier one, or a result, and so was not composed."""
    results = (result_text(result) for step in turn.steps for result in step.results)
    return any(text in shown for shown in (turn.message.text, *(each.text for each in turn.recent), *results))


@limited_effort()
def intents_of(turn: Turn, message: ChatMessage, wanted: Collection[str] | None = None) -> frozenset[str]:
    """Return the names of the tools that `message` asks for, by sentence patterns and tools' examples.

    With `wanted` only these are sought, so that the examples of other tools are not compiled.
    """
    reader = Ear(
        pack=load_pack(language_of(message.text, turn.language)),
        now=turn.message_time,
        names=(turn.bot_name,),
        is_addressed=message.is_addressed or message.is_private,
        read_times=parse_all,
    )
    found = {request.intent for request in reader.requests(message.text)}
    tools = turn.tools if wanted is None else tuple(tool for tool in turn.tools if tool.name in wanted)
    example = ExampleSentences().match(reader.core(message.text), tools, is_addressed=reader.is_addressed)
    found |= set() if example is None else {example[0]}
    return frozenset(found if wanted is None else found.intersection(wanted))


def clauses_that_ask_for(intent: str, context: CallContext) -> tuple[str, ...]:
    """Return the parts of the message of a call that sentence patterns read as asking for `intent`."""
    found = [request.clause for request in requests_in(context, intent)]
    return tuple(clause.restore(clause.text) for clause in found)


@limited_effort()
def requests_in(context: CallContext, intent: str = "") -> tuple[Request, ...]:
    """Return the requests that sentence patterns find in the message of a call: all, or those for `intent`."""
    text = context.message.text
    reader = Ear(
        pack=load_pack(language_of(text, context.language)),
        now=context.message_time,
        names=(),
        is_addressed=True,
        read_times=parse_all,
    )
    for words in (text, _CALLED.sub("", text)):
        found = tuple(request for request in reader.requests(words) if intent in {"", request.intent})
        if found:
            return found
    return ()


def _first_untrusted(turn: Turn) -> int | None:
    """Return the index of the first round with untrusted results; -1 when it was there before, or is quoted."""
    if _quotes_somebody(turn) or any(each["role"] in _RESULTS for each in turn.client_messages or ()):
        return -1
    places = (place for place, step in enumerate(turn.steps) if any(each.is_untrusted for each in step.results))
    return next(places, None)


def _quotes_somebody(turn: Turn) -> bool:
    quoted = next((each for each in turn.recent if each.id == turn.message.reply_to), None)
    return quoted is not None and not quoted.sender.is_bot and quoted.sender.id != turn.message.sender.id
