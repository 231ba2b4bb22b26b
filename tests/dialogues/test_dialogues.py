"""Every dialogue, as it is understood offline and as a language model would."""

from pathlib import Path

import pytest

from bot.testing.dialogues import load_dialogues
from bot.testing.rehearsal import as_model, play
from function_calls.llm import FunctionCallLLM

DIALOGUES = load_dialogues(Path(__file__).parent)
IDS = [f"{dialogue.path.parent.name}/{dialogue.path.stem}" for dialogue in DIALOGUES]


@pytest.mark.looptime
@pytest.mark.parametrize("dialogue", DIALOGUES, ids=IDS)
async def test_offline(dialogue):
    await play(dialogue)


@pytest.mark.looptime
@pytest.mark.parametrize("dialogue", DIALOGUES, ids=IDS)
async def test_with_a_model(dialogue):
    model = as_model(dialogue)
    await play(dialogue, FunctionCallLLM(model))

    assert model.remaining == 0


def test_there_are_dialogues_in_both_languages():
    languages = [dialogue.path.parent.name for dialogue in DIALOGUES]

    assert languages.count("en") >= 30
    assert languages.count("zh") >= 30
