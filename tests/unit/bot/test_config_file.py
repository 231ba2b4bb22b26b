"""`config.toml` is what operators read first: it must say the truth about every setting."""

import re
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.settings import Settings
from bot.settings_sources import load_settings

CONFIG = Path(__file__).parents[3] / "config.toml"
SETTINGS = [
    (group, key, field)
    for group, table in Settings.model_fields.items()
    for key, field in table.annotation.model_fields.items()
]


def test_the_shipped_file_changes_no_default():
    assert load_settings(CONFIG, {}) == Settings()


@pytest.mark.parametrize(("group", "key", "field"), SETTINGS, ids=[f"{group}.{key}" for group, key, _ in SETTINGS])
def test_every_setting_stands_in_the_file_under_its_description(group, key, field):
    table = CONFIG.read_text(encoding="utf-8").split(f"\n[{group}]\n")[1].split("\n\n")[0]
    mark = "# " if field.annotation is SecretStr else ""

    assert re.search(rf"^# {re.escape(field.description)}\n{mark}{key} =", table, re.MULTILINE)
