"""Secrets in a file or the keyring, named by a setting."""

import sys

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked

from bot.config.field_errors import SettingInvalid, config_problem
from bot.config.secrets import secret_values
from bot.config.sources import load_settings, read_settings

SECRET = "sk-planted-in-a-place"


class MemoryKeyring(KeyringBackend):
    """A keyring with these entries, or one that is locked."""

    priority = 1

    def __init__(self, *, is_locked=False, **entries):
        super().__init__()
        self.entries = entries
        self.is_locked = is_locked

    def get_password(self, service, username):
        if self.is_locked:
            raise KeyringLocked("locked")
        return self.entries.get(self._key(service, username))

    def set_password(self, service, username, password):
        self.entries[self._key(service, username)] = password

    def delete_password(self, service, username):
        del self.entries[self._key(service, username)]

    def _key(self, service, username):
        return f"{service}/{username}".replace("/", "_")


@pytest.fixture
def keyring_of():
    """Replace the keyring of the system."""
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


@pytest.fixture
def write_config(tmp_path):
    def write(text):
        path = tmp_path / "config.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("by", ["config.toml", "environment", "well-known name"])
def test_a_setting_may_name_the_file_of_its_secret(tmp_path, write_config, by):
    (tmp_path / "key").write_text(f"{SECRET}\n", encoding="utf-8")
    place = f"file:{tmp_path / 'key'}"
    names = {"environment": "BUBBLES_MODEL__API_KEY", "well-known name": "OPENAI_API_KEY"}
    path = write_config(f'[model]\napi_key = "{place}"\n' if by == "config.toml" else "")

    settings = load_settings(path, {names[by]: place} if by in names else {})

    assert settings.model.api_key.get_secret_value() == SECRET
    assert secret_values(settings) == (SECRET,)


def test_a_setting_may_name_the_entry_of_the_keyring(keyring_of, write_config):
    keyring_of(MemoryKeyring(bubbles_openai=SECRET, team_bubbles_irc="hush"))
    path = write_config(
        '[model]\napi_key = "keyring:bubbles/openai"\n[platforms.irc]\naccount_password = "keyring:team/bubbles/irc"\n'
    )

    settings = load_settings(path, {})

    assert settings.model.api_key.get_secret_value() == SECRET
    assert settings.platforms.groups["irc"].account_password.get_secret_value() == "hush"


def test_plain_text_is_never_a_secret_place(write_config):
    assert load_settings(write_config('[bot]\nname = "file:me"\n'), {}).bot.name == "file:me"


def load_invalid(path, environment):
    with pytest.raises(SettingInvalid) as error:
        load_settings(path, environment)
    assert SECRET not in str(error.value)
    return error.value


@pytest.mark.parametrize(("language", "word"), [("en", "Put it there: keyring set bubbles openai"), ("zh", "请放进去")])
def test_missing_entry_is_reported_with_the_command_that_makes_it(keyring_of, write_config, language, word):
    keyring_of(MemoryKeyring())
    error = load_invalid(write_config(""), {"BUBBLES_MODEL__API_KEY": "keyring:bubbles/openai"})

    assert error.key == "model.api_key"
    assert word in config_problem(error, language)


@pytest.mark.parametrize("language", ["en", "zh", "es"])
@pytest.mark.parametrize(
    ("backend", "place", "words"),
    [
        (MemoryKeyring(is_locked=True), "keyring:bubbles/openai", "KeyringLocked"),
        (NoKeyring(), "keyring:bubbles/openai", "file:/"),
        (MemoryKeyring(bubbles_openai=""), "keyring:bubbles/openai", "keyring bubbles/openai"),
        (MemoryKeyring(), "keyring:openai", "keyring:bubbles/openai"),
        (MemoryKeyring(), "file:/no/such/file", "/no/such/file"),
    ],
    ids=["locked", "none", "empty", "no name", "no file"],
)
def test_invalid_place_is_reported_with_a_correction(keyring_of, write_config, language, backend, place, words):
    keyring_of(backend)

    assert words in config_problem(load_invalid(write_config(""), {"OPENAI_API_KEY": place}), language)


def test_unreadable_file_of_a_variable_is_reported_with_its_setting(write_config):
    error = load_invalid(write_config(""), {"BUBBLES_HTTP__TOKEN_FILE": "/no/such/file"})

    assert error.key == "http.token"
    assert "/no/such/file cannot be read" in error.problem


def test_the_library_is_loaded_only_where_a_setting_asks_for_it(write_config, monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)  # an import of it fails, as where the extra is not installed

    load_settings(write_config(""), {"OPENAI_API_KEY": "sk-plain"})
    error = load_invalid(write_config(""), {"OPENAI_API_KEY": "keyring:bubbles/openai"})

    assert "pip install -e '.[keyring]'" in error.problem


def test_places_of_secrets_are_shown_without_the_secrets(tmp_path, write_config, keyring_of):
    keyring_of(MemoryKeyring(bubbles_openai=SECRET))
    (tmp_path / "token").write_text(SECRET, encoding="utf-8")
    environment = {
        "PERPLEXITY_API_KEY": SECRET,
        "BUBBLES_HTTP__TOKEN_FILE": str(tmp_path / "token"),
        "BUBBLES_BOT__NAME": "Pearl",
    }

    loaded = read_settings(write_config('[model]\napi_key = "keyring:bubbles/openai"\n'), environment)

    assert list(loaded.secrets.items()) == [
        ("http.token", f"file {tmp_path / 'token'}"),
        ("model.api_key", "keyring bubbles/openai"),
        ("search.perplexity_api_key", "environment PERPLEXITY_API_KEY"),
    ]
