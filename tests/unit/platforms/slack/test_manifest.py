"""The manifest of a Slack app: what Slack would take."""

import json

from click.testing import CliRunner

from bot.__main__ import cli
from bot.app.registry import built_in_registry
from bot.platforms.base import Command, CommandOption
from bot.platforms.kit.commands import MENU, menu_of
from bot.platforms.slack.doctor import _READING, _SCOPES
from bot.platforms.slack.manifest import MAX_COMMANDS, SCOPES, manifest

DICE = Command(
    name="dice",
    english="Roll dice",
    chinese="掷骰子",
    options=(
        CommandOption(name="sides", kind="integer", english="Sides", chinese="面数", is_required=True),
        CommandOption(name="colour", kind="text", english="Colour", chinese="颜色", choices=("red", "blue")),
    ),
)


def commands_of(made):
    return {each["command"]: each for each in made["features"]["slash_commands"]}


def test_every_function_has_its_command_in_both_languages():
    menu = menu_of(built_in_registry().specs)
    made = commands_of(manifest("Bubbles", menu))

    assert {"/bubbles", "/reminders", *(f"/{each.name}" for each in menu[len(MENU) :])} <= set(made)
    assert made["/reminders"]["description"] == "List the reminders of this chat · 查看本群的提醒"


def test_commands_reserved_by_slack_are_left_out():
    assert not {"/remind", "/search", "/help"} & set(commands_of(manifest("Bubbles", MENU)))


def test_hint_shows_required_and_optional_fields():
    assert commands_of(manifest("Bubbles", [DICE]))["/dice"]["usage_hint"] == "sides=… [colour=red|blue]"


def test_number_of_commands_is_within_slacks_limit():
    many = [Command(name=f"dice_{number}", english="Roll", chinese="掷") for number in range(60)]

    assert len(commands_of(manifest("Bubbles", many))) == MAX_COMMANDS


def test_an_app_of_the_manifest_has_all_that_the_doctor_asks_for():
    assert set(_SCOPES) | _READING <= set(SCOPES)


def test_without_an_address_the_app_uses_socket_mode_and_with_one_slack_posts_there():
    socket, http = manifest("Bubbles", MENU), manifest("Bubbles", MENU, url="https://bot.example/")

    assert socket["settings"]["socket_mode_enabled"]
    assert "request_url" not in json.dumps(socket)
    assert not http["settings"]["socket_mode_enabled"]
    assert http["settings"]["event_subscriptions"]["request_url"] == "https://bot.example/slack/events"
    assert {each["url"] for each in commands_of(http).values()} == {"https://bot.example/slack/events"}


def test_the_command_prints_the_manifest_of_the_settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text("[bot]\nname = '小泡'\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["slack-manifest"])
    printed = json.loads(result.output)

    assert result.exit_code == 0
    assert printed["features"]["bot_user"]["display_name"] == "小泡"
    assert "/reminder_set" in commands_of(printed)
