"""Run the blocks of the README."""

import asyncio
import importlib.util
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bot.config.settings import BotSettings, PluginSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory, talk_to_bot
from bot.testing.models import ScriptedModel, completion, requested
from bot.testing.platform import FakePlatform
from function_calls.llm import FunctionCallLLM
from tests.docs.page_dialogues import dialogues_in, play_block

ROOT = Path(__file__).parents[2]
README, CHINESE = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]
HANDLER, MAIN = PYTHON


@pytest.fixture
def dice(tmp_path, monkeypatch):
    (tmp_path / "dice.py").write_text(HANDLER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    spec = importlib.util.spec_from_file_location("dice", tmp_path / "dice.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def talk(dice):
    """Return a function that talks to a bot with the README's handler and a scripted model."""

    async def run(*answers, text="Bubbles, roll a dice"):
        clock = LoopClock()
        platform, model = FakePlatform(clock), ScriptedModel(answers)
        async with build_in_memory(
            Settings(bot=BotSettings(timezone="UTC")),
            platforms=[platform],
            functions=[dice],
            interpreter=FunctionCallLLM(model) if answers else None,
            clock=clock,
        ):
            await platform.say(text)
        return platform.texts, model.shown

    return run


@pytest.mark.looptime
async def test_the_models_is_offered_the_handler_with_its_schema(talk):
    _, requests = await talk(completion("", requested("roll_dice", sides=20)))
    offered = {tool["function"]["name"]: tool["function"] for tool in json.loads(requests[0].tools)}

    assert offered["roll_dice"]["description"] == "Roll a dice."
    assert offered["roll_dice"]["parameters"]["properties"]["sides"]["maximum"] == 100


@pytest.mark.looptime
async def test_the_handler_answers_a_valid_call(talk):
    texts, _ = await talk(completion("", requested("roll_dice", sides=2)))

    assert re.fullmatch(r"🎲 ann rolled [12]", texts[0])


@pytest.mark.looptime
async def test_wrong_arguments_are_answered_before_the_handler_runs(talk):
    wrong = completion("", requested("roll_dice", sides=1000))
    texts, requests = await talk(wrong, completion("", requested("roll_dice", sides=1)))

    assert "🎲" not in "".join(texts)
    assert "100" in json.dumps(requests[1].messages)


@pytest.mark.looptime
@pytest.mark.parametrize("text", ["roll a dice with 20 sides", "掷骰子"])
async def test_without_a_model_the_examples_reach_the_handler(talk, text):
    texts, _ = await talk(text=text)

    assert texts[0].startswith("🎲 ann rolled")


@pytest.mark.looptime
@pytest.mark.parametrize(("start", "block"), dialogues_in(README + CHINESE))
async def test_bot_answers_as_the_readme_says(start, block):
    await play_block(start, block)


@pytest.mark.integration  # an interpreter of its own
def test_the_program_of_the_readme_runs(dice, tmp_path):
    (tmp_path / "main.py").write_text(MAIN, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "main.py"],
        input="ann: roll a dice with 20 sides\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )

    assert "🎲 ann rolled" in done.stdout


@pytest.mark.integration
def test_the_pipe_of_the_readme_prints_the_confirmation_and_the_reminder(tmp_path):
    command_text = next(text for language, text in BLOCKS if language == "sh" and "printf" in text).strip()
    command = command_text.replace("bubbles chat", f"{shlex.quote(sys.executable)} -m bot chat")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False)

    assert done.returncode == 0, done.stderr
    assert re.search(r"✅ Set \[\w+\].*: stretch\n.*⏰ @ann stretch", done.stdout, re.DOTALL)


@pytest.mark.parametrize(("text", "answer"), [("掷骰子", "🎲 [1-6]"), ("掷一个2面的骰子", "🎲 [12]")])
def test_the_handler_of_the_chinese_readme_is_a_plugin_that_answers(tmp_path, text, answer):
    (handler,) = re.findall(r"```python\n(.*?)```", CHINESE, re.DOTALL)
    (tmp_path / "dice.py").write_text(handler, encoding="utf-8")

    (reply,) = asyncio.run(talk_to_bot(text, plugins=PluginSettings(folder=tmp_path)))

    assert re.fullmatch(answer, reply)


def test_the_chinese_readme_leads_to_the_same_pages():
    english, chinese = (set(re.findall(r"\]\(([^)#]+)", page)) for page in (README, CHINESE))

    assert chinese - {"README.md"} == english - {"README.zh.md"}
