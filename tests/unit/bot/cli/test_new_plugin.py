"""The commands `bubbles new plugin` and `bubbles plugins`."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from tests.unit.bot.cli.test_new_handler import pytester_run

__all__ = ["pytester_run"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(cli, arguments)


@pytest.mark.integration  # a pytest of its own
def test_the_plugin_and_its_test_pass(run, tmp_path, pytester_run):
    run("new", "plugin", "feed_cat")

    code, output = pytester_run(tmp_path / "plugins")

    assert code == 0, output
    assert "3 passed" in output


@pytest.mark.integration
@pytest.mark.timeout(120)
def test_written_files_are_strictly_typed_and_in_order(run, tmp_path):
    run("new", "plugin", "feed_cat")
    run("new", "handler", "greet_cat")

    typed = ["mypy", "--strict", "--config-file=", "--cache-dir", ".mypy_cache", "."]
    linted = ["ruff", "check", "--isolated", "--select", "I,F,ANN", "."]
    formatted = ["ruff", "format", "--isolated", "--line-length", "120", "--check", "."]
    for command in (typed, linted, formatted):
        result = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(("kind", "test"), [("plugin", "plugins/test_feed_cat.py"), ("handler", "test_feed_cat.py")])
def test_next_step_uses_pytest_of_the_environment(run, kind, test):
    assert f"next: python -m pytest {test}" in run("new", kind, "feed_cat").output


def test_a_new_plugin_is_shown_with_its_function(run):
    run("new", "plugin", "feed_cat")
    result = run("plugins")

    assert result.exit_code == 0
    assert "functions: feed_cat; services: 1" in result.output


def test_a_plugin_that_does_not_work_is_shown_with_its_reason(run, tmp_path):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "broken.py").write_text("import no_such_package", encoding="utf-8")
    result = run("plugins")

    assert result.exit_code == 1
    assert (
        "does not work: it needs the package no_such_package, which is not installed: pip install no_such_package"
        in result.output
    )


def test_without_plugins_the_way_to_one_is_shown(run):
    result = run("plugins")

    assert result.exit_code == 0
    assert "bubbles new plugin NAME" in result.output


def test_a_plugin_adds_a_command(run, tmp_path):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "wave.py").write_text(
        "import click\n\n\n@click.command()\ndef wave():\n    click.echo('o/')\n\n\n"
        "def setup(add):\n    add.cli_commands.append(wave)\n",
        encoding="utf-8",
    )

    assert run("wave").output == "o/\n"


def test_an_unknown_command_stays_unknown(run):
    assert "No such command 'wafe'" in run("wafe").output


def test_files_are_named_as_they_can_be_opened_from_here(run, tmp_path):
    wrote = run("new", "plugin", "feed_cat").output.splitlines()[:2]
    again = run("new", "plugin", "feed_cat").output

    assert all((tmp_path / line.removeprefix("wrote ")).is_file() for line in wrote)
    assert "plugins/feed_cat.py" in again
