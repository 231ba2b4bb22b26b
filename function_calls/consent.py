"""Whether a message is nothing but a yes or a no, or picks one of several things that were offered."""

from function_calls.phrases import bare, every_language

_LONGEST = 40


def pick_of(text: str, bot_name: str) -> str:
    """What a message picks that says nothing more: `1`, `2` …, `once` or `always`; empty where it picks nothing."""
    if len(text) > _LONGEST:
        return ""
    said = bare(text, bot_name)
    return next((name for each in every_language() for name, words in each.picks.items() if said in words), "")


def consent_of(text: str, bot_name: str) -> bool | None:
    """True for a yes, False for a no, None for anything else: only a message that says nothing more counts."""
    if len(text) > _LONGEST:
        return None
    said = bare(text, bot_name).replace(",", "")
    if any(said in each.yes for each in every_language()):
        return True
    return False if any(said in each.no for each in every_language()) else None
