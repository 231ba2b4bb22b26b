"""The plugin and the tests on the page about functions."""

import re
from pathlib import Path

import pytest

from bot.config.settings import PluginSettings

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "write-functions.md").read_text(encoding="utf-8")
*PLUGIN, TESTS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

# What pytest finds in this module is what stands on the page.
exec(compile("\n".join([*PLUGIN, TESTS]), "write-functions.md", "exec"), globals())


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("what do I not eat", "You eat everything"),
        ("我不吃花生", "🥗 花生"),
        ("清空3号架子", "真的要这样做吗"),
        ("weigh it in g", "250 g"),
        ("菜单", "📄"),
    ],
)
async def test_the_plugin_of_the_page_answers(talk, tmp_path, sentence, answer):
    (tmp_path / "kitchen.py").write_text("\n".join(PLUGIN), encoding="utf-8")

    (reply,) = await talk(sentence, plugins=PluginSettings(folder=tmp_path))

    assert answer in reply


async def test_every_mistake_in_nested_arguments_is_named_as_the_page_says(call_tool):
    result = await call_tool(globals()["count_items"], items=[{"name": "flour", "unit": "cups"}])

    assert '/items/0/unit: expected one of "g", "pieces"' in result.error
