"""Settings changed in the page: files, secrets, history and undo."""

import json
import stat
from datetime import time

import pytest

from bot.config.editor import SettingsEditor, SettingsInvalid
from bot.config.settings import Settings
from bot.config.sources import group_names, read_settings, setting_names
from services.kernel.errors import ConfigError

SECRET = "sk-planted-in-the-page"
HEAD = '# Ours, for the night shift.\n[bot]\nname = "Pearl" # not Bubbles\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.toml").write_text(f'{HEAD}data_dir = "{tmp_path / "data"}"\n', encoding="utf-8")
    return tmp_path


@pytest.fixture
def editor(folder):
    return SettingsEditor(folder / "config.toml", {})


def save(editor, **values):
    return editor.save({key.replace("__", "."): value for key, value in values.items()}, person="Ann", at="now")


def test_change_wins_over_the_file_of_the_operator_and_leaves_it_alone(editor, folder):
    before = (folder / "config.toml").read_bytes()

    save(editor, bot__name="Ruby")

    assert editor.load().settings.bot.name == "Ruby"
    assert (folder / "config.toml").read_bytes() == before


def test_environment_wins_over_a_change(editor, folder):
    save(editor, bot__name="Ruby")

    loaded = read_settings(folder / "config.toml", {"BUBBLES_BOT__NAME": "Opal"})

    assert loaded.settings.bot.name == "Opal"
    assert (loaded.origins["bot.name"].kind, loaded.origins["bot.name"].name) == ("environment", "BUBBLES_BOT__NAME")


def test_value_that_the_environment_sets_cannot_be_changed(folder):
    editor = SettingsEditor(folder / "config.toml", {"BUBBLES_BOT__NAME": "Opal"})

    with pytest.raises(SettingsInvalid) as error:
        save(editor, bot__name="Ruby")

    assert error.value.problems == {"bot.name": "environment"}


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        ("bot.name", 'a "b" \\ 你 \x7f\n', 'a "b" \\ 你 \x7f\n'),
        ("router.tool_timeout_seconds", 2.5, 2.5),
        ("router.stream_replies", False, False),
        ("router.allowed_chats", ["telegram:1", "irc:#a"], ("telegram:1", "irc:#a")),
        ("model.chat_function_calling", {"web:a b": "prompt"}, {"web:a b": "prompt"}),
        ("plugins.options", {"clock": {"zones": ["UTC"], "is_on": True}}, {"clock": {"zones": ["UTC"], "is_on": True}}),
        ("plugins.options", {"clock": {"zones": ["UTC", None]}}, {"clock": {"zones": ["UTC"]}}),
        ("plugins.options", {"clock": {"zone": "tea \ud83d"}}, {"clock": {"zone": "tea \ufffd"}}),
        ("time.morning", "07:30", time(7, 30)),
        ("platforms.irc.channels", ["#team"], ("#team",)),
    ],
)
def test_values_of_every_kind_are_read_as_they_were_saved(editor, key, value, read):
    editor.save({key: value}, person="Ann", at="now")

    group, _, name = key.rpartition(".")
    settings = editor.load().settings
    own = settings.platforms.groups["irc"] if group == "platforms.irc" else getattr(settings, group)
    assert getattr(own, name) == read


@pytest.mark.parametrize(
    ("key", "value"), [("model.timeout_seconds", float("inf")), ("plugins.options", {"clock": {"most": float("inf")}})]
)
def test_infinite_number_is_refused_and_leaves_the_file_readable(editor, key, value):
    with pytest.raises(SettingsInvalid):
        editor.save({key: value}, person="Ann", at="now")

    assert editor.load().settings.plugins.options == {}


def test_secret_is_kept_in_a_file_of_its_own_that_nobody_else_may_read(editor, folder):
    save(editor, model__api_key=SECRET)

    file = folder / "data" / "secrets" / "model.api_key.1"
    assert editor.load().settings.model.api_key.get_secret_value() == SECRET
    assert SECRET not in (folder / "data" / "settings.toml").read_text(encoding="utf-8")
    assert SECRET not in (folder / "data" / "settings.history.json").read_text(encoding="utf-8")
    for each in (file, folder / "data" / "settings.toml", folder / "data" / "settings.history.json"):
        assert stat.S_IMODE(each.stat().st_mode) == 0o600
    assert read_settings(folder / "config.toml", {}).secrets == {"model.api_key": f"file {file}"}


def test_place_given_as_a_secret_is_a_secret_and_reads_no_file(editor, folder):
    (folder / "other").write_text("not for the page", encoding="utf-8")

    save(editor, model__api_key=f"file:{folder / 'other'}")

    assert editor.load().settings.model.api_key.get_secret_value() == f"file:{folder / 'other'}"


def test_undo_restores_the_previous_values_and_can_be_undone(editor):
    save(editor, bot__name="Ruby", model__api_key=SECRET)
    save(editor, bot__name="Opal", model__api_key="another")

    change = editor.undo(2, person="Lin", at="later")
    assert editor.load().settings.model.api_key.get_secret_value() == SECRET
    assert (editor.load().settings.bot.name, change.undoes) == ("Ruby", 2)
    editor.undo(change.id, person="Lin", at="later")
    assert editor.load().settings.bot.name == "Opal"
    editor.undo(1, person="Lin", at="later")
    assert editor.load().settings == read_settings(editor.path, {}, saved={}).settings


def test_secrets_that_nothing_names_any_longer_are_deleted(editor, folder, monkeypatch):
    monkeypatch.setattr("bot.config.editor._MAX_CHANGES", 3)
    for number in range(6):
        save(editor, model__api_key=f"{SECRET}-{number}")

    assert len(editor.changes()) == 3
    assert len(list((folder / "data" / "secrets").iterdir())) == 4


def test_null_reverts_a_change(editor):
    save(editor, bot__name="Ruby")
    save(editor, bot__name=None)

    assert editor.load().settings.bot.name == "Pearl"


def test_all_wrong_values_are_reported_and_nothing_is_kept(editor, folder):
    with pytest.raises(SettingsInvalid) as error:
        save(editor, bot__name="", http__port=99_999, bot__nane="x", bot__data_dir="/", model__api_key=SECRET)

    problems = error.value.problems
    assert set(problems) == {"bot.name", "http.port", "bot.nane", "bot.data_dir"}
    assert (problems["bot.nane"], problems["bot.data_dir"]) == ("unknown", "fixed")
    assert not (folder / "data").exists()


def test_secret_of_a_refused_change_is_deleted(editor, folder):
    with pytest.raises(SettingsInvalid, match=r"platforms\.enabled"):
        save(editor, model__api_key=SECRET, platforms__enabled=["teletype"])

    assert list((folder / "data" / "secrets").iterdir()) == []


def test_refused_change_leaves_the_secret_in_use_if_its_change_was_not_recorded(editor, folder):
    save(editor, model__api_key=SECRET)
    (folder / "data" / "settings.history.json").unlink()  # killed between the settings and the history
    with pytest.raises(SettingsInvalid):
        save(editor, model__api_key="other", platforms__enabled=["teletype"])

    assert editor.load().settings.model.api_key.get_secret_value() == SECRET


def test_change_that_prevents_start_is_reverted(editor):
    save(editor, bot__name="Ruby")
    save(editor, bot__name="Opal")

    editor.reject("no room for it")

    assert editor.load().settings.bot.name == "Ruby"
    assert [each.problem for each in editor.changes()] == ["", "no room for it"]


def test_preview_stores_nothing(editor, folder):
    settings = editor.preview({"model.api_key": SECRET, "platforms.telegram.token": "1:x", "bot.name": "Ruby"})

    assert (settings.model.api_key.get_secret_value(), settings.bot.name) == (SECRET, "Ruby")
    assert settings.platforms.groups["telegram"].token.get_secret_value() == "1:x"
    assert not (folder / "data").exists()


def test_without_a_file_nothing_can_be_changed(folder):
    editor = SettingsEditor(folder / "config.toml", {"BUBBLES_BOT__SETTINGS_FILE": ""})

    assert editor.load().saved is None
    with pytest.raises(ConfigError, match=r"bot\.settings_file"):
        save(editor, bot__name="Ruby")


def test_mistake_in_the_file_of_the_page_names_that_file(editor, folder):
    save(editor, bot__name="Ruby")
    (folder / "data" / "settings.toml").write_text('[bot]\ntimezone = "Mars"\n', encoding="utf-8")

    with pytest.raises(ConfigError, match=r"settings\.toml"):
        editor.load()


def test_folder_without_files_has_the_defaults(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert read_settings(None, {}).settings == Settings()


def test_damaged_history_starts_empty(editor, folder):
    save(editor, bot__name="Ruby")
    (folder / "data" / "settings.history.json").write_text("{", encoding="utf-8")

    assert save(editor, bot__name="Opal").id == 1


@pytest.mark.parametrize("language", ["en", "zh", "es"])
def test_every_setting_has_a_label_in_every_language_of_the_page(language):
    from tests.browser.bot_process import ROOT

    labels = json.loads((ROOT / f"web/src/settings/labels/{language}.json").read_text(encoding="utf-8"))

    assert list(labels) == [f"{group}.{name}" for group in group_names() for name in setting_names(group)]
    assert all(text.strip() for each in labels.values() for text in each)
