"""Platforms created from settings, and errors for missing settings."""

import pytest

from bot.config.sources import load_settings
from bot.platforms.catalog import create_platforms
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of Discord's library
]

NEEDED = {
    "telegram": {"TOKEN": "1:abc"},
    "discord": {"TOKEN": "abc"},
    "slack": {"BOT_TOKEN": "xoxb-1", "APP_TOKEN": "xapp-1"},
    "onebot": {"MODE": "forward", "URL": "ws://127.0.0.1:3001"},
    "feishu": {"APP_ID": "cli_1", "APP_SECRET": "abc"},
    "dingtalk": {"CLIENT_ID": "ding1", "CLIENT_SECRET": "abc"},
}


def create(name, values):
    environment = {f"BUBBLES_PLATFORMS__{name.upper()}__{key}": value for key, value in values.items()}
    return create_platforms(load_settings(None, {"BUBBLES_PLATFORMS__ENABLED": name, **environment}), SystemClock())


@pytest.mark.parametrize("name", NEEDED)
async def test_platform_is_created_from_its_environment(name):
    [platform] = create(name, NEEDED[name])

    assert platform.name == name
    assert platform.health.state == "connecting"


@pytest.mark.parametrize(
    ("name", "missing"), [(name, key) for name, values in NEEDED.items() for key in values if key != "MODE"]
)
async def test_missing_setting_is_named(name, missing):
    values = {key: value for key, value in NEEDED[name].items() if key != missing}

    with pytest.raises(ConfigError) as error:
        create(name, values)

    assert error.value.key == f"platforms.{name}.{missing.lower()}"


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"HOST": "0.0.0.0"}, "platforms.onebot.token"),
        ({"HOST": "0.0.0.0", "MODE": "http", "URL": "http://127.0.0.1:3000"}, "platforms.onebot.secret"),
    ],
)
async def test_public_onebot_without_a_secret_is_refused(values, key):
    with pytest.raises(ConfigError) as error:
        create("onebot", values)

    assert error.value.key == key


async def test_telegram_webhook_without_a_secret_is_refused():
    with pytest.raises(ConfigError) as error:
        create("telegram", {"TOKEN": "1:abc", "WEBHOOK_URL": "https://a.example"})

    assert error.value.key == "platforms.telegram.webhook_secret"
