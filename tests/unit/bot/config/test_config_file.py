"""The shipped `config.toml`, compared with the settings."""

import re
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import GROUPS
from bot.config.settings import Settings
from bot.config.sources import load_settings

CONFIG = Path(__file__).parents[4] / "config.toml"
GROUPS = {
    **{name: table.annotation for name, table in Settings.model_fields.items()},
    **{f"platforms.{name}": GROUPS[name] for name in GROUPS},
}
SETTINGS = [
    (group, key, field)
    for group, table in GROUPS.items()
    for key, field in table.model_fields.items()
    if field.description
]


def test_the_shipped_file_changes_no_default():
    assert load_settings(CONFIG, {}) == Settings()


@pytest.mark.parametrize(("group", "key", "field"), SETTINGS, ids=[f"{group}.{key}" for group, key, _ in SETTINGS])
def test_every_setting_is_in_the_file_under_its_description(group, key, field):
    table = CONFIG.read_text(encoding="utf-8").split(f"\n[{group}]\n")[1].split("\n\n")[0]
    mark = "# " if field.annotation is SecretStr else ""

    assert re.search(rf"^# {re.escape(field.description)}\n{mark}{key} =", table, re.MULTILINE)
