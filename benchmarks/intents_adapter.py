"""The reading without a model as the intent scorer wants it: `interpret(text, lang, now) -> {"tool", "args"}`.

`interpret` treats nothing as addressed to the bot, as in a group where nobody spoke to it; a question that reads as
put to an assistant counts as a search. `asked` treats everything as addressed, as in a private chat.
"""

import sys
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.evaluation.offline_reading import read_sentence


def interpret(text: str, lang: str, now: datetime) -> dict[str, object] | None:
    return _answer(text, lang, now, is_addressed=False)


def asked(text: str, lang: str, now: datetime) -> dict[str, object] | None:
    return _answer(text, lang, now, is_addressed=True)


def _answer(text: str, lang: str, now: datetime, *, is_addressed: bool) -> dict[str, object] | None:
    found = read_sentence(text, lang, now, is_addressed=is_addressed)
    if found is None:
        return None
    arguments = {"content": found.content, "person": found.person, "when": found.when, "recurring": found.rule}
    return {"tool": found.tool, "args": arguments}
