"""Recognise texts that address the bot by its name."""

import re
from functools import cache


def is_called(text: str, bot_name: str) -> bool:
    """Return whether `text` mentions `@name` anywhere, or begins or ends by calling the name."""
    return _pattern(bot_name).search(text) is not None


@cache
def _pattern(bot_name: str) -> re.Pattern[str]:
    name = re.escape(bot_name)
    return re.compile(
        rf"@{name}(?![A-Za-z0-9_])|^\s*(?:(?:hey|hi|hello|ok|okay|嗨|你好|喂)[\s,，]*)?{name}(?![A-Za-z0-9_])"
        rf"|[,，?？!！。.…]\s*{name}\s*[!?.。！？]*\s*$",
        re.IGNORECASE,
    )
