"""Settings from the file and the environment, and their errors."""

from pathlib import Path

import pytest

from bot.config.secrets import secret_values
from bot.config.settings import Settings
from bot.config.sources import load_settings
from services.kernel.errors import ConfigError


def write_config(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_everything_has_its_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert load_settings(environment={}) == Settings()


def test_file_sets_its_settings(tmp_path):
    path = write_config(tmp_path, '[bot]\nname = "泡泡"\n')

    assert load_settings(path, {}).bot.name == "泡泡"


def test_the_environment_wins_over_the_file(tmp_path):
    path = write_config(tmp_path, '[bot]\nname = "Bubbles"\n')

    assert load_settings(path, {"BUBBLES_BOT__NAME": "Pearl"}).bot.name == "Pearl"


def test_numbers_and_lists_are_read_from_the_environment(tmp_path):
    environment = {
        "BUBBLES_ROUTER__MESSAGES_PER_MINUTE": "5",
        "BUBBLES_ROUTER__ALLOWED_CHATS": "console:home, console:work",
    }
    settings = load_settings(write_config(tmp_path, ""), environment)

    assert settings.router.messages_per_minute == 5
    assert settings.router.allowed_chats == ("console:home", "console:work")


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("[bot]\ntimezon = 'UTC'\n", "bot.timezon", "bot.timezone"),
        ("[modle]\nname = 'x'\n", "modle", "model"),
    ],
)
def test_an_unknown_key_names_the_nearest_known_one(tmp_path, text, key, nearest):
    with pytest.raises(ConfigError) as error:
        load_settings(write_config(tmp_path, text), {})

    assert error.value.key == key
    assert f"did you mean {nearest}?" in error.value.problem


def test_an_unknown_variable_is_an_error_too(tmp_path):
    with pytest.raises(ConfigError, match=r"did you mean bot\.timezone"):
        load_settings(write_config(tmp_path, ""), {"BUBBLES_BOT__TIMEZON": "UTC"})


def test_a_value_of_the_wrong_kind_names_its_setting(tmp_path):
    with pytest.raises(ConfigError, match=r"router\.messages_per_minute"):
        load_settings(write_config(tmp_path, "[router]\nmessages_per_minute = 'many'\n"), {})


def test_a_zone_that_is_not_iana_is_refused_with_an_example(tmp_path):
    with pytest.raises(ConfigError, match="Europe/Berlin"):
        load_settings(write_config(tmp_path, "[bot]\ntimezone = 'Mars/Olympus'\n"), {})


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ("[platforms]\nenabled = 'console'\n", "platforms.enabled", 'a list, such as ["a", "b"]'),
        ("[reminders]\nquiet_hours = '22-7'\n", "reminders.quiet_hours", "22:00-07:00"),
        ("[time]\nday = 9\n", "time.day", "09:00"),
        ("[time]\nday = '9'\n", "time.day", "09:00"),
        ("[storage]\nurl = 'mysql://host/name'\n", "storage.url", "postgresql://"),
        ("[bot]\nowners = ['ann']\n", "bot.owners.0", "platform:id"),
        ("[router]\nallowed_chats = ['web:home', '12345']\n", "router.allowed_chats.1", "platform:id"),
        ("[model]\nbase_url = 'localhost:8092/v1'\n", "model.base_url", "http://"),
        ("[search]\nsearxng_url = 'localhost:8888'\n", "search.searxng_url", "http://"),
    ],
)
def test_value_of_the_wrong_form_is_reported_with_a_correct_one(tmp_path, text, key, hint):
    with pytest.raises(ConfigError) as error:
        load_settings(write_config(tmp_path, text), {})

    assert error.value.key == key
    assert hint in error.value.problem
    assert not error.value.problem.startswith("Value error")


def test_a_file_that_is_not_utf_8_is_refused_by_name(tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes('[bot]\nname = "Blüte"\n'.encode("latin-1"))

    with pytest.raises(ConfigError, match="UTF-8"):
        load_settings(path, {})


def test_a_secret_in_the_file_is_refused_and_not_repeated(tmp_path):
    with pytest.raises(ConfigError) as error:
        load_settings(write_config(tmp_path, "[model]\napi_key = 'sk-planted'\n"), {})

    assert "BUBBLES_MODEL__API_KEY" in str(error.value)
    assert "sk-planted" not in str(error.value)


def test_secret_may_be_in_its_own_file(tmp_path):
    secret = tmp_path / "key"
    secret.write_text("sk-from-file\n", encoding="utf-8")
    settings = load_settings(write_config(tmp_path, ""), {"BUBBLES_MODEL__API_KEY_FILE": str(secret)})

    assert settings.model.api_key.get_secret_value() == "sk-from-file"


def test_usual_name_of_the_key_is_accepted_and_overridden_by_ours(tmp_path):
    path = write_config(tmp_path, "")
    usual = load_settings(path, {"OPENAI_API_KEY": "sk-usual"})
    both = load_settings(path, {"OPENAI_API_KEY": "sk-usual", "BUBBLES_MODEL__API_KEY": "sk-ours"})

    assert usual.model.api_key.get_secret_value() == "sk-usual"
    assert both.model.api_key.get_secret_value() == "sk-ours"


def test_secrets_are_never_printed(tmp_path):
    settings = load_settings(write_config(tmp_path, ""), {"PERPLEXITY_API_KEY": "pplx-planted"})

    assert "pplx-planted" not in repr(settings)
    assert secret_values(settings) == ("pplx-planted",)


def test_broken_toml_is_reported_with_its_place(tmp_path):
    with pytest.raises(ConfigError, match="line 1"):
        load_settings(write_config(tmp_path, "[bot\n"), {})


def test_a_missing_file_that_was_asked_for_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(tmp_path / "other.toml", {})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("BUBBLES_HTTP__PORT", "many"),
        ("BUBBLES_PLATFORMS__IRC__PORT", "many"),
        ("BUBBLES_BOT__OWNERS", "ann"),
        ("OPENAI_BASE_URL", "localhost:8092"),
    ],
)
def test_a_wrong_value_of_the_environment_is_not_looked_for_in_the_file(tmp_path, variable, value):
    with pytest.raises(ConfigError) as error:
        load_settings(write_config(tmp_path, "[bot]\nname = 'Pearl'\n"), {variable: value})

    assert (error.value.path, error.value.key) == ("environment", variable)


def test_a_wrong_value_of_the_file_is_not_looked_for_in_the_environment(tmp_path):
    with pytest.raises(ConfigError) as error:
        load_settings(write_config(tmp_path, "[http]\nport = 99999\n"), {"BUBBLES_HTTP__HOST": "127.0.0.1"})

    assert (Path(error.value.path).name, error.value.key) == ("config.toml", "http.port")


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("[search]\nengines = ['perplexty']\n", "perplexity"),
        ("[log]\nlevel = 'debug'\n", "DEBUG"),
        ("[router]\nlisten = 'adressed'\n", "addressed"),
        ("[bot]\ntimezone = 'Europe/Berln'\n", "Europe/Berlin"),
        ("[bot]\ntimezone = 'Shanghai'\n", "Asia/Shanghai"),
        ("[platforms]\nenabled = ['telegarm']\n", "telegram"),
    ],
)
def test_unknown_choice_names_the_nearest(tmp_path, text, suggestion):
    with pytest.raises(ConfigError) as error:
        load_settings(write_config(tmp_path, text), {})

    assert f"did you mean {suggestion}?" in error.value.problem


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("BUBBLES_HTTP_PORT", "BUBBLES_HTTP__PORT"),
        ("BUBBLES_MODEL_API_KEY_FILE", "BUBBLES_MODEL__API_KEY_FILE"),
        ("BUBBLES_BOT_SETTINGS_FILE", "BUBBLES_BOT__SETTINGS_FILE"),
        ("BUBBLES_PLATFORMS_TELEGRAM_TOKEN", "BUBBLES_PLATFORMS__TELEGRAM__TOKEN"),
    ],
)
def test_variable_with_one_underscore_names_the_correct_one(tmp_path, name, suggestion):
    with pytest.raises(ConfigError, match=rf"{name}: unknown setting; did you mean {suggestion}\?"):
        load_settings(write_config(tmp_path, ""), {name: "8080"})


def test_other_variables_with_the_prefix_are_ignored(tmp_path):
    assert load_settings(write_config(tmp_path, ""), {"BUBBLES_CHROMIUM": "/usr/bin/chromium"}) == Settings()


@pytest.mark.parametrize(
    "text",
    [
        "[history]\nretention_days = 1000000\n",
        "[record]\nkeep_days = 1000000\n",
        "[model]\ntimeout_seconds = inf\n",
        "[search]\ncache_minutes = inf\n",
        "[search]\ncache_minutes = 1e15\n",
        "[search]\ntimeout_seconds = 1e15\n",
        "[reminders]\nlate_after_seconds = 1000000000000000\n",
    ],
)
def test_number_with_which_the_bot_cannot_run_is_refused(tmp_path, text):
    with pytest.raises(ConfigError, match=r"days|seconds|minutes"):
        load_settings(write_config(tmp_path, text), {})
