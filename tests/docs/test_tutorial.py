"""The tutorials, run unchanged."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.docs.page_dialogues import dialogues_in, play_block

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorial"
FIRST_BOT = (TUTORIALS / "first-bot.md").read_text(encoding="utf-8")
FIRST_FUNCTION = (TUTORIALS / "first-function.md").read_text(encoding="utf-8")
HANDLER, TESTS, PROGRAM = re.findall(r"```python\n(.*?)```", FIRST_FUNCTION, re.DOTALL)


@pytest.fixture
def coins(tmp_path, monkeypatch):
    """Make the module of the tutorial importable."""
    path = tmp_path / "coins.py"
    path.write_text(HANDLER, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("coins", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "coins", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.looptime
@pytest.mark.parametrize(("start", "block"), dialogues_in(FIRST_BOT))
async def test_bot_answers_as_the_first_tutorial_says(start, block):
    await play_block(start, block)


@pytest.mark.usefixtures("coins")
async def test_the_tests_of_the_tutorial_pass(call_tool):
    names = {}
    exec(compile(TESTS, "test_coins.py", "exec"), names)
    tests = [names[name] for name in names if name.startswith("test_")]

    assert len(tests) == 2
    for test in tests:
        await test(call_tool)


@pytest.mark.parametrize("text", ["flip 3 coins", "flip a coin", "抛硬币"])
async def test_the_sentences_of_the_tutorial_reach_the_function(talk, coins, text):
    (answer,) = await talk(text, functions=[coins])

    assert re.fullmatch(r"🪙 ann: [HT]( [HT]){0,2}", answer)


def test_program_of_the_tutorial_uses_existing_names(coins):
    names = {"__name__": "tutorial", "asyncio": None}
    program = PROGRAM.replace("asyncio.run(main())", "")
    exec(compile(program, "main.py", "exec"), names)

    assert names["coins"] is coins
    assert callable(names["main"])
