"""The skill on the page about skills, with its pin."""

import re
import tomllib
from pathlib import Path

import pytest

from bot.config.settings import SkillSettings
from bot.tools.skills import find_skills, skill_sources
from function_calls.tools.permission import Viewer
from services.kernel.chat import ChatAddress, Person

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "add-skills.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(markdown|toml)\n(.*?)```", PAGE, re.DOTALL))
VIEWER = Viewer(person=Person(id="ann", name="Ann"), chat=ChatAddress(platform="fake", chat_id="home"))


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "release-notes"
    folder.mkdir()
    (folder / "SKILL.md").write_text(BLOCKS["markdown"], encoding="utf-8", newline="\n")
    return SkillSettings(folder=tmp_path, pins=tomllib.loads(BLOCKS["toml"])["skills"]["pins"])


async def test_skill_of_the_page_has_its_pin_and_its_function(settings):
    assert find_skills(settings).problems == ()
    (source,) = skill_sources(settings)
    (spec,) = await source.toolset.list_specs(VIEWER)

    assert f"`{spec.name}`" in PAGE
