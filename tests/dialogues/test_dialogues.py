"""Every dialogue, as it is understood offline and as a language model would.

Dialogues in a folder `offline` are about the words of the offline interpreter; no model is asked to play them.
Those in Spanish are in such a folder: they prove that a third language is data.
"""

from pathlib import Path

import pytest

from bot.testing.dialogues import Dialogue, load_dialogues
from bot.testing.in_memory import as_model, play
from function_calls.llm import FunctionCallLLM

ROOT = Path(__file__).parent
DIALOGUES = load_dialogues(ROOT)


def with_names(dialogues):
    return [pytest.param(each, id=each.path.relative_to(ROOT).with_suffix("").as_posix()) for each in dialogues]


def language_of(dialogue: Dialogue) -> str:
    return dialogue.path.relative_to(ROOT).parts[0]


@pytest.mark.looptime
@pytest.mark.parametrize("dialogue", with_names(DIALOGUES))
async def test_offline(dialogue):
    await play(dialogue)


@pytest.mark.looptime
@pytest.mark.parametrize("dialogue", with_names(each for each in DIALOGUES if each.path.parent.name != "offline"))
async def test_with_a_model(dialogue):
    model = as_model(dialogue)
    await play(dialogue, FunctionCallLLM(model))

    assert model.remaining == 0


@pytest.mark.parametrize(("language", "fewest"), [("en", 30), ("zh", 30), ("es", 16)])
def test_each_language_has_dialogues(language, fewest):
    found = [dialogue for dialogue in DIALOGUES if language_of(dialogue) == language]

    assert len(found) >= fewest
