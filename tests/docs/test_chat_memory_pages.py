"""Check dialogues, settings and functions on the pages about summaries, search, history, memory and privacy."""

from pathlib import Path

import pytest

from bot.app.registry import built_in_registry
from bot.config.settings import Settings
from tests.docs.page_dialogues import dialogues_in, play_block

DOCS = Path(__file__).parents[2] / "docs" / "reference"
PAGES = {
    name: (DOCS / f"{name}.md").read_text("utf-8") for name in ("summaries", "search", "history", "memory", "privacy")
}
DIALOGUES = [pytest.param(start, block, id=name) for name, page in PAGES.items() for start, block in dialogues_in(page)]
HOME = {
    "history_search": "history",
    "history_opt_out": "privacy",
    "history_opt_in": "privacy",
    "history_retention": "privacy",
    "export_my_data": "privacy",
    "forget_me": "privacy",
    "memory_save": "memory",
    "memory_search": "memory",
    "memory_forget": "memory",
    "perplexity_search": "search",
    "web_fetch": "search",
}


@pytest.mark.looptime
@pytest.mark.parametrize(("start", "block"), DIALOGUES)
async def test_bot_answers_as_the_pages_say(start, block):
    await play_block(start, block)


@pytest.mark.parametrize("group", ["history", "memory", "search", "web"])
def test_every_setting_of_a_group_is_on_its_page(group):
    page = PAGES["search" if group == "web" else group]
    keys = Settings.model_fields[group].annotation.model_fields

    assert [key for key in keys if f"`{key}`" not in page] == []


@pytest.mark.parametrize(("function", "page"), HOME.items())
def test_every_function_is_on_its_page(function, page):
    assert function in {tool.name for tool in built_in_registry()}
    assert f"`{function}`" in PAGES[page]


def test_every_engine_is_on_the_search_page():
    assert [name for name in Settings().search.engines if f"| `{name}` |" not in PAGES["search"]] == []
