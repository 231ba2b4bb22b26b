"""The catalogue of platforms: settings, secrets and libraries."""

import inspect
import subprocess
import sys

import pytest

from bot.config.platform_catalog import IrcSettings
from bot.config.secrets import secret_values
from bot.config.settings import PlatformSettings, Settings
from bot.config.sources import load_settings
from bot.platforms import base
from bot.platforms.catalog import create_platforms
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError

pytestmark = pytest.mark.timeout(60)  # each starts an interpreter

LIBRARIES = {
    "aiogram", "aiohttp", "discord", "dingtalk_stream", "irc", "lark_oapi", "nio", "slack_bolt", "slack_sdk", "slixmpp",
}  # fmt: skip


def modules_after(statement):
    code = f"{statement}; import sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_bot_and_reading_its_settings_loads_no_library_of_a_platform():
    loaded = modules_after("import bot.app.application; from bot.config.sources import load_settings; load_settings()")

    assert not loaded & LIBRARIES


def test_a_platform_has_its_group_in_the_file(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("[platforms]\nenabled = ['irc']\n[platforms.irc]\nhost = 'irc.example.org'\n")

    assert load_settings(path, {}).platforms.group("irc", IrcSettings).host == "irc.example.org"


def test_a_platform_reads_its_secrets_from_the_environment(tmp_path):
    environment = {"BUBBLES_PLATFORMS__IRC__ACCOUNT_PASSWORD": "hunter2"}
    settings = load_settings(_write_empty_config(tmp_path), environment)

    assert settings.platforms.group("irc", IrcSettings).account_password.get_secret_value() == "hunter2"
    assert "hunter2" in secret_values(settings)


def test_a_secret_of_a_platform_in_the_file_is_refused_with_the_name_of_its_variable(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("[platforms.irc]\naccount_password = 'hunter2'\n")

    with pytest.raises(ConfigError, match="BUBBLES_PLATFORMS__IRC__ACCOUNT_PASSWORD"):
        load_settings(path, {})


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("[platforms.irc]\nchanels = []\n", r"platforms\.irc\.channels"),
        ("[platforms.matrx]\nuser = 'x'\n", r"platforms\.matrix"),
        ("[platforms]\nenabled = ['ircc']\n", "irc"),
    ],
)
def test_unknown_setting_names_the_nearest(tmp_path, text, nearest):
    path = tmp_path / "config.toml"
    path.write_text(text)

    with pytest.raises(ConfigError, match=f"did you mean {nearest}"):
        load_settings(path, {})


def test_a_value_of_the_wrong_kind_names_the_setting_of_its_platform(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("[platforms.irc]\nport = 0\n")

    with pytest.raises(ConfigError) as error:
        load_settings(path, {})

    assert error.value.key == "platforms.irc.port"


def test_default_value_changes_nothing(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("[platforms.irc]\nport = 6697\n")

    assert load_settings(path, {}) == Settings()


def test_a_missing_library_says_how_to_install_it():
    code = (
        "import sys; sys.modules['nio'] = None\n"
        "from bot.platforms.catalog import create_platforms\n"
        "from bot.config.settings import PlatformSettings, Settings\n"
        "from services.kernel.clock import SystemClock\n"
        "create_platforms(Settings(platforms=PlatformSettings(enabled=('matrix',))), SystemClock())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert "pip install -e '.[matrix]'" in done.stderr


def test_unknown_platform_is_an_error_of_the_settings():
    with pytest.raises(ConfigError, match="no platform named smoke"):
        create_platforms(Settings(platforms=PlatformSettings(enabled=("smoke",))), SystemClock())


def _write_empty_config(folder):
    path = folder / "config.toml"
    path.write_text("")
    return path


@pytest.mark.parametrize(
    ("name", "setting"),
    [("matrix", "platforms.matrix.homeserver"), ("xmpp", "platforms.xmpp.jid"), ("irc", "platforms.irc.host")],
)
def test_a_platform_that_lacks_a_setting_names_it(name, setting):
    with pytest.raises(ConfigError) as error:
        create_platforms(Settings(platforms=PlatformSettings(enabled=(name,))), SystemClock())

    assert error.value.key == setting


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("console", {}),
        ("discord", {"TOKEN": "abc"}),
        ("dingtalk", {"CLIENT_ID": "ding1", "CLIENT_SECRET": "abc"}),
        ("feishu", {"APP_ID": "cli_1", "APP_SECRET": "abc"}),
        ("irc", {"HOST": "irc.example"}),
        ("matrix", {"HOMESERVER": "https://matrix.example", "USER": "@bubbles:matrix.example", "PASSWORD": "abc"}),
        ("onebot", {"MODE": "forward", "URL": "ws://127.0.0.1:3001"}),
        ("slack", {"BOT_TOKEN": "xoxb-1", "APP_TOKEN": "xapp-1"}),
        ("telegram", {"TOKEN": "1:abc"}),
        ("xmpp", {"JID": "bubbles@xmpp.example", "PASSWORD": "abc"}),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Discord's library
async def test_attributes_named_like_an_optional_method_are_methods(name, values):
    environment = {f"BUBBLES_PLATFORMS__{name.upper()}__{key}": value for key, value in values.items()}
    settings = load_settings(None, {"BUBBLES_PLATFORMS__ENABLED": name, **environment})
    [platform] = create_platforms(settings, SystemClock())

    protocols = [each for _, each in inspect.getmembers(base, inspect.isclass) if getattr(each, "_is_protocol", False)]
    names = {method for each in protocols for method, _ in inspect.getmembers(each, inspect.isfunction)} - {"__init__"}

    assert "listener" in names
    assert [each for each in names if hasattr(platform, each) and not callable(getattr(platform, each))] == []
