"""The plugin and the tests on the page about hooks, background work and agents."""

import asyncio
import re
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.config.settings import PluginSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import NOW, build_in_memory
from bot.testing.platform import FakePlatform

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "extend-the-bot.md").read_text(encoding="utf-8")
*PLUGIN, TESTS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

# What pytest finds in this module is what stands on the page.
exec(compile("\n".join([*PLUGIN, TESTS]), "extend-the-bot.md", "exec"), globals())

pytestmark = pytest.mark.looptime


@pytest.fixture
def office(tmp_path):
    """Return a function that runs a bot with the plugin of the page in memory."""
    (tmp_path / "office.py").write_text("\n".join(PLUGIN), encoding="utf-8")
    plugins = PluginSettings(folder=tmp_path, options={"office": {"chat": "fake:home", "hours": 0.01}})

    @asynccontextmanager
    async def run_bot():
        clock = LoopClock(NOW)
        platform = FakePlatform(clock)
        async with build_in_memory(Settings(plugins=plugins), platforms=[platform], clock=clock):
            yield platform

    return run_bot


async def test_middleware_passes_on_the_changed_message(office):
    async with office() as platform:
        await platform.say("list my reminders\n-- \nAnn, third floor")

    assert "No reminders" in platform.texts[0]


async def test_hook_hides_card_numbers_in_an_answer(office):
    async with office() as platform:
        await platform.say("Bubbles, remember that the card is 4111 1111 1111 1111")

    assert "████" in platform.texts[0]
    assert "4111" not in platform.texts[0]


async def test_command_shows_the_count_of_the_listener(office):
    async with office() as platform:
        await platform.say("list my reminders")
        await platform.say("/tally")

    assert platform.texts[-1] == "reminder_list: 1"


async def test_job_greets_the_chat_repeatedly(office):
    async with office() as platform:
        await asyncio.sleep(2 * 36 + 1)

    assert platform.texts == ["☀️", "☀️"]


async def test_the_search_engine_is_asked(office):
    async with office() as platform:
        await platform.say("Bubbles, search the web for coffee")

    assert "second floor [1]" in platform.texts[0]
    assert "https://handbook.example/coffee" in platform.texts[0]


async def test_without_a_model_the_agents_say_so(office):
    async with office() as platform:
        await platform.say("Bubbles, ask the desk what is for lunch")

    assert "office_desk" in platform.texts[0]
