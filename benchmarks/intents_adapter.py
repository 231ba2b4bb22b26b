"""Adapter of the intent scorer for the interpreter without a model.

`interpret` reads a text as a group message that is not addressed to the bot; a question to an assistant counts as a
search. `asked` reads it as addressed to the bot, as in a private chat. Both return {"tool", "args"} or None.
"""

import sys
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.evaluation.offline_reading import read_sentence


def interpret(text: str, lang: str, now: datetime) -> dict[str, object] | None:
    return _interpret(text, lang, now, is_addressed=False)


def asked(text: str, lang: str, now: datetime) -> dict[str, object] | None:
    return _interpret(text, lang, now, is_addressed=True)


def _interpret(text: str, lang: str, now: datetime, *, is_addressed: bool) -> dict[str, object] | None:
    found = read_sentence(text, lang, now, is_addressed=is_addressed)
    if found is None:
        return None
    arguments = {"content": found.content, "person": found.person, "when": found.when, "recurring": found.rule}
    return {"tool": found.tool, "args": arguments}
