"""The page and its address at the start of the bot."""

import socket
from contextlib import closing
from datetime import UTC, datetime

import httpx
import pytest

from bot.app.application import build_app
from bot.cli.page import PageListener, create_web_platform, serve_page
from bot.config.settings import BotSettings, HttpSettings, LogSettings, Settings
from bot.testing.clocks import StandingClock
from services.kernel.errors import ConfigError
from services.storage.database import Database

CLOCK = StandingClock(datetime(2026, 11, 20, 10, tzinfo=UTC))


def settings_with(**http):
    return Settings(
        bot=BotSettings(timezone="UTC"),
        log=LogSettings(to_file=False),
        http=HttpSettings(**{"open_page": False, **http}),
    )


def test_the_page_can_be_switched_off():
    assert create_web_platform(settings_with(enabled=False), CLOCK) is None


def test_the_bot_refuses_to_start_where_others_could_reach_it_without_a_token():
    with pytest.raises(ConfigError, match="BUBBLES_HTTP__TOKEN"):
        create_web_platform(settings_with(host="0.0.0.0"), CLOCK)


def test_without_the_libraries_it_says_how_to_get_the_page(monkeypatch, capsys):
    monkeypatch.setattr("bot.cli.page._LIBRARIES", ("fastapi", "not_installed_here"))

    room = create_web_platform(settings_with(), CLOCK)

    assert room is None
    assert "not_installed_here" in (output := capsys.readouterr().err)
    assert "pip install -e '.[web]'" in output


async def test_printed_address_serves_the_page(capsys):
    settings = settings_with(port=0)
    room = create_web_platform(settings, CLOCK)
    with closing(PageListener()) as listener:
        async with (
            build_app(settings, platforms=[room], clock=CLOCK, database=Database("sqlite://")) as app,
            serve_page(app, room, settings, CLOCK, listener=listener),
            httpx.AsyncClient() as client,
        ):
            address = capsys.readouterr().out.split()[-1]
            page = await client.get(address)

    assert page.status_code == 200
    assert "<!doctype html>" in page.text.lower()


async def test_taken_port_is_reported_and_the_bot_runs_on_the_console(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings = settings_with(port=server.getsockname()[1])
        room = create_web_platform(settings, CLOCK)
        async with (
            build_app(settings, platforms=[room], clock=CLOCK, database=Database("sqlite://")) as app,
            serve_page(app, room, settings, CLOCK, listener=PageListener()),
        ):
            output = capsys.readouterr().err
            await app.connections.wait_finished()

    assert "BUBBLES_HTTP__PORT" in output
    assert output.count("127.0.0.1") == 1, "Python says the address once more, in a tuple"
