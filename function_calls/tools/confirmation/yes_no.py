"""Parse messages that only answer a question: yes or no, a pick, or a named confirmation."""

import re

from msgspec import Struct

from function_calls.language.recognized_phrases import Phrases, bare, every_language

_MAX_LENGTH = 40
# Words around a pick: "only tomorrow please", 选第一个吧.
_POLITE = re.compile(r"^(?:option |let's do |选|要)(?=.)|,? (?:please|pls|thanks|thank you)$|(?<=.)[吧啊呀哈哦]$")


class Answer(Struct, frozen=True, kw_only=True):
    """A message that is only an answer.

    `is_yes` is True for a yes, False for a no. `pick` is `1`, `2` …, `once` or `always`. `confirms` are the named
    actions, such as `delete` for "yes, delete everything".
    """

    is_yes: bool | None = None
    pick: str = ""
    confirms: frozenset[str] = frozenset()


def parse_short_answer(text: str, bot_name: str) -> Answer | None:
    """Parse a message that is only an answer; None for other messages."""
    is_yes = parse_yes_no(text, bot_name)
    if is_yes is not None:
        return Answer(is_yes=is_yes)
    pick, confirms = parse_pick(text, bot_name), parse_confirmations(text, bot_name)
    return Answer(pick=pick, confirms=confirms) if pick or confirms else None


def parse_pick(text: str, bot_name: str) -> str:
    """Parse a message that only picks an option (`1`, `2` …, `once`, `always`); empty for other messages."""
    if len(text) > _MAX_LENGTH:
        return ""
    answer = _POLITE.sub("", bare(text, bot_name))
    return next((name for phrases in every_language() for name, words in phrases.picks.items() if answer in words), "")


def parse_yes_no(text: str, bot_name: str) -> bool | None:
    """Parse a message that is only yes (True) or no (False); None for other messages."""
    if len(text) > _MAX_LENGTH:
        return None
    answer = bare(text, bot_name).replace(",", "")
    if any(answer in phrases.yes for phrases in every_language()):
        return True
    return False if any(answer in phrases.no for phrases in every_language()) else None


def parse_confirmations(text: str, bot_name: str) -> frozenset[str]:
    """Return the actions that a message names for a confirmation, with or without a yes before them."""
    if len(text) > _MAX_LENGTH:
        return frozenset()
    answer = " ".join(_POLITE.sub("", bare(text, bot_name)).replace(",", " ").split())
    return frozenset(
        action
        for phrases in every_language()
        for action, words in phrases.confirms.items()
        if _without_yes(answer, phrases) & words
    )


def _without_yes(answer: str, language: Phrases) -> set[str]:
    """Return `answer`, and its rest after each yes at its beginning, also with the prefix `+`."""
    rest = [answer.removeprefix(yes).strip() for yes in language.yes if answer.startswith(yes)]
    return {answer, *rest, *(f"+{words}" for words in rest)}
