"""Answer questions from the notes and messages of the chat where no search engine is connected."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from function_calls.language.messages import say
from function_calls.tools.calls import Step, ToolCall, ToolResult, Turn
from function_calls.understanding.tool_calls import CallMaker
from services.search.service import shorten_query

_LOOKUP_TOOLS: Final = ("memory_search", "history_search")
_MIN_MORE_CHARACTERS: Final = 4
"""The fewest characters that a message has beside the query to count as an answer; half as many in Chinese."""
_MIN_WORDS: Final = 4
"""The words in front of the bot's name in a message that tell people something."""


def make_local_lookup(turn: Turn, query: str, *otherwise: ToolCall) -> tuple[ToolCall, ...]:
    """Return calls that search notes and messages for `query`; empty where one of the tools is switched off.

    The results of `otherwise` count where the search finds nothing, instead of a web search.
    """
    maker = CallMaker(turn)
    if not all(map(maker.offers, _LOOKUP_TOOLS)):
        return ()
    return (*(maker.call(name, {"query": query}) for name in _LOOKUP_TOOLS), *otherwise)


def make_web_fallback(turn: Turn) -> tuple[ToolCall, ...]:
    """Return a web search where the local lookup of `turn` found nothing and nothing counts instead; else empty."""
    maker = CallMaker(turn)
    if not _is_empty_lookup(turn.steps[-1]) or not maker.offers("perplexity_search"):
        return ()
    return (maker.call("perplexity_search", {"query": _get_query(turn.steps[-1])}),)


def render_results(turn: Turn) -> str:
    """Return the texts of the last round of tools, or a sentence that says that they gave no text.

    After a local lookup in vain it says where was looked, and that the web was not searched.
    """
    last = turn.steps[-1]
    if _is_empty_lookup(last) and CallMaker(turn).offers("perplexity_search"):
        return _render_nothing_found(turn)
    text = render_step(last, turn.bot_name)
    if text or any(result.files or result.ending == "answered" for result in last.results):
        return text
    return say(turn.language, "failed.nothing_to_say", tool=", ".join(dict.fromkeys(call.name for call in last.calls)))


def render_step(step: Step, bot_name: str) -> str:
    """Return the texts of the tools of one round; of a local lookup, only those of the tools that found something.

    Where another tool has results, the lookup counts only if it found more than requests and messages to the bot, by
    `bot_name`. It then replaces these results, or follows them if it came last.
    """
    results: Sequence[ToolResult] = step.results
    if _is_local_lookup(step):
        lookup_results, others = _select_results(step), results[len(_LOOKUP_TOOLS) :]
        results = lookup_results if not others or _has_remarks(lookup_results, bot_name) else others
    elif tuple(call.name for call in step.calls[-len(_LOOKUP_TOOLS) :]) == _LOOKUP_TOOLS:
        lookup_results = _select_results(step)
        results = [*results[: -len(_LOOKUP_TOOLS)], *(lookup_results if _has_remarks(lookup_results, bot_name) else ())]
    texts = [result.text or ("" if result.value is None else str(result.value)) for result in results]
    return "\n".join(text for text in texts if text)


def _has_remarks(results: Sequence[ToolResult], bot_name: str) -> bool:
    """Return whether results have a message to people, also in front of the bot's name, that is no request."""
    from services.summary.content import is_command

    texts = (text.casefold().partition(bot_name.casefold()) for result in results for text in _list_texts(result))
    return any((not name or len(ahead.split()) >= _MIN_WORDS) and not is_command(ahead) for ahead, name, _ in texts)


def _render_nothing_found(turn: Turn) -> str:
    """Return an answer that the chat has nothing about a question; admins are told how to search the web."""
    query = shorten_query(_get_query(turn.steps[-1]))
    keys = ("history.nothing_here", "search.set_up") if turn.message.sender.is_admin else ("history.nothing_here",)
    return "\n".join(say(turn.language, key, query=query) for key in keys)


def _is_empty_lookup(step: Step) -> bool:
    """Return whether a round of tools was only a local lookup, which found nothing."""
    return _is_local_lookup(step) and len(step.calls) == len(_LOOKUP_TOOLS) and not _select_results(step)


def _is_local_lookup(step: Step) -> bool:
    """Return whether a round of tools begins with a search of notes and messages."""
    return tuple(call.name for call in step.calls[: len(_LOOKUP_TOOLS)]) == _LOOKUP_TOOLS


def _get_query(step: Step) -> str:
    """Return the words that a local lookup has searched for."""
    return next(str(call.arguments["query"]) for call in step.calls if call.name in _LOOKUP_TOOLS)


def _select_results(step: Step) -> list[ToolResult]:
    """Return the results with more than earlier messages that repeat the question."""
    question = _get_query(step).casefold()
    looked_up = (result for call, result in zip(step.calls, step.results, strict=True) if call.name in _LOOKUP_TOOLS)
    return [result for result in looked_up if any(_says_more(text, question) for text in _list_texts(result))]


def _says_more(text: str, question: str) -> bool:
    """Return whether `text` is more than an earlier message with the same question."""
    phrase = text.strip()
    minimum = len(question) + (_MIN_MORE_CHARACTERS if question.isascii() else _MIN_MORE_CHARACTERS // 2)
    is_repeated = phrase.endswith(("?", "？")) or len(phrase) < minimum
    return question not in phrase.casefold() or not is_repeated


def _list_texts(result: ToolResult) -> Iterator[str]:
    """Yield the texts of the notes or messages that a search has found."""
    listed = result.value.values() if isinstance(result.value, Mapping) else ()
    for entry in chain.from_iterable(each for each in listed if isinstance(each, list)):
        yield str(entry.get("text", "")) if isinstance(entry, Mapping) else str(entry)
