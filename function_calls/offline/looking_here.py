"""Where no search engine is connected, a question is looked up in what was noted and said here."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from function_calls.calls import Step, ToolCall, ToolResult, Turn
from function_calls.offline.tool_calls import CallMaker

_HERE: Final = ("memory_search", "history_search")


def looked_up_here(turn: Turn, query: str) -> tuple[ToolCall, ...]:
    """The calls that look here for an answer to `query`; none where one of them is switched off."""
    maker = CallMaker(turn)
    return tuple(maker.call(name, {"query": query}) for name in _HERE) if all(map(maker.offers, _HERE)) else ()


def looked_up_in_vain(turn: Turn) -> tuple[ToolCall, ...]:
    """The search of the web instead, which says what it lacks; none where something was found, or nothing sought."""
    last, maker = turn.steps[-1], CallMaker(turn)
    if not _is_look_up(last) or _found(last) or not maker.offers("perplexity_search"):
        return ()
    return (maker.call("perplexity_search", {"query": last.calls[0].arguments["query"]}),)


def told(step: Step) -> str:
    """What the tools of one round gave, in their own words: there is no model to word it.

    Of several places in which something was looked for, those in which nothing was found are not told.
    """
    results = _found(step) if _is_look_up(step) else step.results
    texts = [result.text or ("" if result.value is None else str(result.value)) for result in results]
    return "\n".join(text for text in texts if text)


def _is_look_up(step: Step) -> bool:
    return tuple(call.name for call in step.calls) == _HERE


def _found(step: Step) -> list[ToolResult]:
    """The results that hold more than earlier messages with the same question."""
    question = str(step.calls[0].arguments["query"]).casefold()
    return [result for result in step.results if any(question not in text.casefold() for text in _texts(result))]


def _texts(result: ToolResult) -> Iterator[str]:
    listed = result.value.values() if isinstance(result.value, Mapping) else ()
    for entry in chain.from_iterable(each for each in listed if isinstance(each, list)):
        yield str(entry.get("text", "")) if isinstance(entry, Mapping) else str(entry)
