"""Dialogues on pages: found, and played against a whole bot."""

import re
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.testing.dialogues import Dialogue, Step
from bot.testing.in_memory import play
from function_calls.language.messages import LANGUAGES, say

_DIALOGUE = re.compile(r"<!-- dialogue (\S+) -->\n```text\n(.*?)```", re.DOTALL)
_OF_ITS_OWN = re.compile(r"\n   (?!Next|接下来|[(（])")
_ZONE = "Europe/Berlin"
_HINTS = [say(language, "undo.hint") for language in LANGUAGES]


def dialogues_in(page):
    """Return the dialogues of a page, each with its start."""
    return _DIALOGUE.findall(page)


async def play_block(start, block):
    """Play one dialogue of a page."""
    steps = tuple(
        Step(
            speaker=who,
            text=text,
            wait_seconds=wait,
            expected=tuple(_normalize(answer) for answer in answers),
            calls=(),
            said="",
            replies_to=0,
            chat="home",
            is_private=False,
            is_admin=False,
        )
        for who, text, wait, answers in _parse_steps(block)
    )
    at = datetime.fromisoformat(start).replace(tzinfo=ZoneInfo(_ZONE))
    await play(Dialogue(path=Path("docs"), title="docs", start=at, zone=_ZONE, steps=steps))


def _normalize(answer):
    """Remove the hint for platforms without buttons and the indentation that pages have and messages do not.

    The hint of a platform without buttons, as the terminal is, is left out: the chat in memory has buttons.
    """
    for hint in _HINTS:
        answer = answer.removesuffix(f"\n{hint}")
    return re.sub(r"\[(\w+)\]", r"[{\1}]", _OF_ITS_OWN.sub("\n", answer))


def _parse_steps(block):
    """Parse the dialogue of a block into steps (speaker, text, seconds waited, answers)."""
    steps = []
    for line in block.strip().split("\n"):
        later = re.fullmatch(r"\((\d+) seconds later\)|（(\d+) 秒后）", line)
        who, _, text = line.partition(": ")
        if later:
            steps.append(("", "", float(later[1] or later[2]) + 0.5, []))
        elif line.startswith("   "):
            steps[-1][3][-1] += "\n" + line
        elif who == "Bubbles":
            steps[-1][3].append(text)
        else:
            steps.append((who, text, 0.0, []))
    return steps
