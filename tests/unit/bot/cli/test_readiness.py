"""Readiness and exit codes of a bot that serves nobody."""

import socket
from types import SimpleNamespace

import pytest

from bot.cli.page import PageListener, create_web_platform, serve_page
from bot.config.settings import BotSettings, HttpSettings, PlatformSettings, Settings
from bot.http.admin.health import are_all_platforms_refused
from bot.platforms.base import Health
from bot.testing.clocks import LoopClock
from services.kernel.errors import ConfigError


class Connected:
    """A platform whose connection is in one state."""

    def __init__(self, state):
        self.health = Health(state=state, since=LoopClock().now())


@pytest.mark.parametrize(
    ("states", "is_refused"),
    [(["stopped", "stopped"], True), (["stopped", "connecting"], False), (["live"], False), ([], False)],
)
async def test_process_with_all_platforms_refused_is_not_ready(states, is_refused):
    platforms = (object(), *(Connected(state) for state in states))
    context = SimpleNamespace(app=SimpleNamespace(platforms=platforms))

    assert are_all_platforms_refused(context) is is_refused


async def test_taken_port_ends_a_bot_that_runs_as_a_service(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        settings = Settings(
            bot=BotSettings(data_dir=tmp_path),
            http=HttpSettings(port=other.getsockname()[1]),
            platforms=PlatformSettings(enabled=()),
        )
        clock = LoopClock()
        room = create_web_platform(settings, clock)

        with pytest.raises(ConfigError, match=r"http\.port"):
            async with serve_page(None, room, settings, clock, listener=PageListener()):
                pass
