"""Whether a message is nothing but a yes or a no."""

from function_calls.phrases import bare, every_language

_LONGEST = 40


def consent_of(text: str, bot_name: str) -> bool | None:
    """True for a yes, False for a no, None for anything else: only a message that says nothing more counts."""
    if len(text) > _LONGEST:
        return None
    said = bare(text, bot_name).replace(",", "")
    if any(said in each.yes for each in every_language()):
        return True
    return False if any(said in each.no for each in every_language()) else None
