"""The output and exit codes of `bubbles check` and `bubbles tools`."""

import asyncio
import json
import sys

import pytest
from click.testing import CliRunner
from loguru import logger

from bot.__main__ import cli
from bot.cli.commands import CommandFailed
from bot.tools.stored.repository import StoredToolRepository, ToolForm
from services.kernel.clock import SystemClock
from services.storage.database import Database
from services.storage.tools import SqlStoredToolStore

NOBODY = "http://127.0.0.1:9"  # the port "discard", where nothing listens
DICE = 'class Tools:\n    def roll_dice(self) -> int:\n        """Roll dice."""\n        return 6\n'
ROLL = (
    "from function_calls.registry import tool_function\n\n"
    "@tool_function()\nasync def roll(sides: int = 6) -> int:\n    'Roll a die.'\n    return sides\n"
)


@pytest.fixture
def run_command(tmp_path, monkeypatch):
    """Return a function that runs a command in a folder with the given settings and plugins."""
    monkeypatch.chdir(tmp_path)

    def run(*words, config="", **plugins):
        (tmp_path / "config.toml").write_text(config, encoding="utf-8")
        (tmp_path / "plugins").mkdir()
        for name, source in plugins.items():
            (tmp_path / "plugins" / f"{name}.py").write_text(source, encoding="utf-8")
        return CliRunner(env={"OPENAI_API_KEY": "", "TOOL_SERVER_CONNECTIONS": ""}).invoke(cli, words)

    return run


def test_a_check_names_the_functions_of_plugins(run_command):
    result = run_command("check", dice=ROLL)

    assert "plugin dice: functions: roll" in result.output
    assert result.exit_code == 0


@pytest.mark.parametrize("command", ["check", "doctor"])
def test_read_settings_file_and_data_folder_are_shown_as_absolute_paths(run_command, tmp_path, command):
    result = run_command(command)

    assert f"ok       settings: {tmp_path / 'config.toml'}\n" in result.output
    assert f"{tmp_path}/data" in result.output


@pytest.mark.parametrize("command", ["check", "doctor"])
def test_missing_settings_file_is_shown(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    result = CliRunner(env={"OPENAI_API_KEY": ""}).invoke(cli, [command])

    assert f"ok       settings: no config.toml in {tmp_path}; defaults and environment variables are" in result.output
    assert result.exit_code == 0


def test_check_reports_broken_plugins(run_command):
    result = run_command("check", dice="raise ValueError('no dice')")

    assert "plugin dice: does not work: ValueError: no dice" in result.output
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('[plugins]\ndisabled = ["dcie"]\n', "plugins.disabled: there is no plugin named dcie; did you mean dice?"),
        ("[plugins.options.dyce]\n", "plugins.options.dyce: there is no plugin named dyce; did you mean dice?"),
        ('[bot]\nowners = ["telegarm:1"]\n', "bot.owners: there is no platform named telegarm; did you mean telegram?"),
        (
            '[router]\nallowed_chats = ["weeb:1"]\n',
            "router.allowed_chats: there is no platform named weeb; did you mean web?",
        ),
    ],
)
def test_unknown_name_is_a_warning_with_the_nearest_one(run_command, config, expected):
    result = run_command("check", config=config, dice=ROLL)

    assert f"warning  {expected}" in result.output
    assert result.exit_code == 0


@pytest.mark.parametrize("command", ["check", "plugins", "doctor"])
def test_plugin_without_contributions_is_reported_everywhere(run_command, command):
    result = run_command(command, dice="async def roll() -> str:\n    'Roll a die.'\n    return '6'\n")

    assert "it adds nothing: @tool_function is missing above roll" in result.output


@pytest.mark.parametrize(("disabled", "is_unknown"), [("pigeon", False), ("none", True)])
def test_platform_that_a_disabled_plugin_may_add_is_not_called_unknown(run_command, disabled, is_unknown):
    config = f'[plugins]\ndisabled = ["{disabled}"]\n[bot]\nowners = ["pigeon:1"]\n'

    result = run_command("check", config=config, pigeon=ROLL)

    assert ("no platform named pigeon" in result.output) is is_unknown


def test_missing_plugin_folder_is_a_warning(run_command, tmp_path):
    result = run_command("check", config='[plugins]\nfolder = "plugns"\n')

    assert f"warning  plugins.folder: there is no folder {tmp_path / 'plugns'}" in result.output


@pytest.mark.parametrize("command", ["check", "plugins", "doctor"])
def test_platform_of_a_plugin_with_a_built_in_name_is_reported_everywhere(run_command, command):
    pigeon = (
        "from bot.testing.platform import FakePlatform\n\n"
        "def setup(add):\n    add.platforms.append(FakePlatform(add.clock, name='web'))\n"
    )
    result = run_command(command, pigeon=pigeon)

    assert "does not work: its platform web has a name that the bot has; give it another" in result.output
    assert result.exit_code == 1


def test_list_of_plugins_shows_mistyped_names_and_no_traces(run_command):
    result = run_command("plugins", config='[plugins]\ndisabled = ["dcie"]\n', dice=ROLL, broken="def broken(:")

    assert "broken  plugins/broken.py  does not work: plugins/broken.py, line 1: invalid syntax" in result.output
    assert "plugins.disabled: there is no plugin named dcie; did you mean dice?" in result.output
    assert "Traceback" not in result.output


def test_check_reports_unreachable_tool_servers(run_command):
    result = run_command("check", config=f'[tool_servers]\nurls = ["{NOBODY}"]\n')

    assert "problem  OpenAPI server 127_0_0_1_9: the server cannot be reached" in result.output
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("hidden", "problem", "step"),
    [
        ("bot.tools.servers.mcp.toolset", "MCP needs the extra `mcp`", "install the extra, then start the bot again"),
        (None, "there is no command, file or folder no-such-command", "install it, or write its absolute path"),
    ],
)
def test_the_doctor_names_the_next_step_for_what_is_not_installed(
    run_command, tmp_path, monkeypatch, hidden, problem, step
):
    if hidden is not None:
        monkeypatch.setitem(sys.modules, hidden, None)
    servers = {"mcpServers": {"time": {"command": "no-such-command"}}}
    (tmp_path / "mcp.json").write_text(json.dumps(servers), encoding="utf-8")
    output = run_command("doctor", config='[tool_servers]\nmcp_file = "mcp.json"\n').output

    assert f"problem  MCP server time: {problem}" in output
    assert step in output.partition("MCP server time")[2].splitlines()[1]


@pytest.mark.parametrize("command", ["check", "doctor", "tools"])
def test_findings_are_not_logged_beside_the_report(run_command, command):
    logged = []
    sink = logger.add(logged.append, level="DEBUG")
    config = f'[tool_servers]\nurls = ["{NOBODY}"]\n[model]\nbase_url = "{NOBODY}/v1"\n'
    result = run_command(command, config=config, broken="raise ValueError('no dice')")
    logger.remove(sink)

    assert "no dice" in result.output
    assert logged == []


def test_connections_that_cannot_be_read_are_wrong_settings(run_command):
    result = run_command("check", config='[tool_servers]\nmcp_file = "nowhere.json"\n')

    assert "nowhere.json" in result.output
    assert result.exit_code == 2


def test_the_tools_of_plugins_are_listed_with_their_arguments(run_command):
    result = run_command("tools", dice=ROLL)

    listing = result.output.partition("plugin dice")[2]
    assert "roll  Roll a die." in listing
    assert "sides  optional  integer" in listing


def test_null_is_not_listed_as_a_type_of_an_optional_argument(run_command):
    listing = run_command("tools").output

    assert "once|daily|weekly " in listing
    assert "None" not in listing.partition("reminder_update")[2].partition("reminder_snooze")[0]
    assert "|null" not in listing


def test_the_list_for_models_has_the_tools_of_plugins_too(run_command):
    tools = json.loads(run_command("tools", "--json", dice=ROLL).output)

    names = [each["function"]["name"] for each in tools]
    assert names[0] == "reminder_set"
    assert names[-1] == "roll"


def test_the_doctor_describes_plugins_and_servers_in_the_language_of_the_operator(run_command):
    config = f'[bot]\nlanguage = "es"\n[tool_servers]\nurls = ["{NOBODY}"]\n'
    result = run_command("doctor", config=config, empty="word = 1")

    assert (
        "aviso    plugin empty: no añade nada: no tiene ninguna función con @tool_function ni setup(add)"
        in result.output
    )
    assert "servidor OpenAPI 127_0_0_1_9: no se puede conectar con el servidor\n" in result.output


def test_the_doctor_describes_an_invalid_connection_in_the_language_of_the_operator(run_command, monkeypatch):
    monkeypatch.setenv("BUBBLES_TOOL_SERVERS__CONNECTIONS", f'[{{"url": "{NOBODY}", "path": 5}}]')
    result = run_command("doctor", config='[bot]\nlanguage = "zh"\n')

    assert (
        "OpenAPI 服务器 connection_0: 没有使用：settings: tool_servers.connections.0.path：应该是文字。"
        in result.output
    )


def test_the_doctor_examines_plugins_and_servers_too(run_command):
    result = run_command("doctor", config=f'[tool_servers]\nurls = ["{NOBODY}"]\n', dice=ROLL)

    assert "ok       plugin dice: functions: roll" in result.output
    assert "problem  OpenAPI server 127_0_0_1_9: the server cannot be reached\n         next:" in result.output


async def keep(url):
    async with Database(url) as database:
        repository = StoredToolRepository(SqlStoredToolStore(database), SystemClock())
        await repository.create(ToolForm(content=DICE), "web:ann")


def test_python_tools_are_listed_without_a_running_bot(run_command, tmp_path):
    asyncio.run(keep(f"sqlite:///{tmp_path}/data/bubbles.db"))

    result = run_command("tools", config="[tool_servers]\npython_tools = true\n")

    assert "database of tools python: answers, tools: 1 (confined by Landlock " in result.output
    assert "\nroll_dice  Roll dice." in result.output


def test_python_tools_need_a_database(run_command, tmp_path):
    result = run_command("check", config="[tool_servers]\npython_tools = true\n")

    assert result.exit_code == 0
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ('[platforms]\nenabled = ["irc"]\n', "platforms.irc.host"),
        ('[http]\nhost = "0.0.0.0"\n', "http.host"),
    ],
)
def test_check_refuses_settings_that_prevent_a_start(run_command, config, message):
    result = run_command("check", config=config)

    assert message in result.output
    assert result.exit_code == 2


@pytest.mark.parametrize("has_calendars", [True, False])
def test_check_says_that_public_holidays_are_not_known(run_command, monkeypatch, has_calendars):
    monkeypatch.setattr("bot.cli.inspect.has_calendars", lambda: has_calendars)

    assert ("ok       public holidays are not known" in run_command("check").output) is not has_calendars


def test_a_check_of_a_bot_without_chat_platforms_says_so(run_command):
    assert "platforms: no chat platform" in run_command("check", config="[platforms]\nenabled = []\n").output


@pytest.mark.parametrize(
    ("entry", "answer"),
    [
        ({"url": NOBODY, "type": "mcp", "name": "notes"}, "have a server notes with `oauth`"),
        ({"url": NOBODY, "type": "mcp", "name": "notes", "auth_type": "oauth_2.1"}, "notes: "),
    ],
)
def test_sign_in_finds_the_mcp_servers_of_connections(tmp_path, monkeypatch, entry, answer):
    monkeypatch.chdir(tmp_path)
    environment = {"TOOL_SERVER_CONNECTIONS": json.dumps([entry])}

    result = CliRunner(env=environment).invoke(cli, ["mcp-sign-in", "notes"])

    assert result.exit_code != 0
    assert answer in result.output


def test_descriptions_of_tools_are_printed_without_control_characters(run_command):
    source = ROLL.replace("'Roll a die.'", "'Roll \\x1b]52;c;eA==\\x07 a die.'")
    result = run_command("tools", dice=source)

    assert "Roll ]52;c;eA== a die." in result.output
    assert "\x1b" not in result.output


def test_errors_of_commands_are_printed_without_control_characters(capsys):
    CommandFailed("the server said \x1b]52;c;eA==\x07").show()

    assert capsys.readouterr().err == "bubbles: the server said ]52;c;eA==\n"
