"""Whether a message is nothing but a yes or a no, or picks one of several things that were offered."""

import re

from function_calls.phrases import bare, every_language

_LONGEST = 40
# Around what is picked: "only tomorrow please", 选第一个吧.
_POLITE = re.compile(r"^(?:option |let's do |选|要)(?=.)|,? (?:please|pls|thanks|thank you)$|(?<=.)[吧啊呀哈哦]$")


def pick_of(text: str, bot_name: str) -> str:
    """What a message picks that says nothing more: `1`, `2` …, `once` or `always`; empty where it picks nothing."""
    if len(text) > _LONGEST:
        return ""
    said = _POLITE.sub("", bare(text, bot_name))
    return next((name for each in every_language() for name, words in each.picks.items() if said in words), "")


def consent_of(text: str, bot_name: str) -> bool | None:
    """True for a yes, False for a no, None for anything else: only a message that says nothing more counts."""
    if len(text) > _LONGEST:
        return None
    said = bare(text, bot_name).replace(",", "")
    if any(said in each.yes for each in every_language()):
        return True
    return False if any(said in each.no for each in every_language()) else None
