"""The files to deploy with name settings, extras and commands that exist."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from bot.__main__ import cli
from bot.config.sources import load_settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples" / "deploy"
PAGE = (ROOT / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
FILES = ("Containerfile", "compose.yaml", "bubbles.service")
COMMANDS = sorted({words.split()[0] for words in re.findall(r"(?:^|`)bubbles ([a-z ]+)", PAGE, re.MULTILINE)})


@pytest.mark.parametrize("name", FILES)
def test_every_setting_of_the_file_exists(name):
    text = (DEPLOY / name).read_text(encoding="utf-8")
    named = dict(re.findall(r"(BUBBLES_[A-Z]+__[A-Z_]+)[=:] ?([^\s\\]*)", text))
    values = {key: "x" * 40 if "TOKEN" in key else value for key, value in named.items() if "$" not in value}

    assert named
    load_settings(ROOT / "config.toml", values)


def test_the_container_leaves_the_console_out():
    assert load_settings(ROOT / "config.toml", {"BUBBLES_PLATFORMS__ENABLED": ","}).platforms.enabled == ()


def test_everything_that_the_container_needs_is_pinned_with_its_hash():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [extras] = re.findall(r"^CONTAINER_EXTRAS := (.*)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    needed = [
        *project["dependencies"],
        *(each for extra in extras.split() for each in project["optional-dependencies"][extra]),
    ]
    pinned = (ROOT / "requirements-container.lock.txt").read_text(encoding="utf-8")

    for each in needed:
        name = re.match(r"[\w.-]+", each)[0]
        assert re.search(rf"^{name}(\[\w+\])?==\S+.*\\\n\s+--hash=sha256:", pinned, re.MULTILINE | re.IGNORECASE), name


def test_the_compose_file_asks_for_its_secrets_and_binds_to_loopback():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]

    assert services["bubbles"]["ports"] == ["127.0.0.1:8765:8765"]
    assert services["bubbles"]["read_only"] is True
    assert ":?" in services["bubbles"]["environment"]["BUBBLES_HTTP__TOKEN"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_accepts_the_unit(tmp_path):
    text = (DEPLOY / "bubbles.service").read_text(encoding="utf-8")
    unit = tmp_path / "bubbles.service"
    unit.write_text(text.replace("/opt/bubbles/bin/bubbles", "/bin/true"), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_unit_has_a_low_exposure_level():
    judge = ["systemd-analyze", "security", "--offline=true", "--threshold=35", str(DEPLOY / "bubbles.service")]
    done = subprocess.run(judge, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout.splitlines()[-1]


def test_every_extra_is_on_the_page_of_the_installation():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    named = [name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]

    assert sorted(named) == sorted(project["optional-dependencies"])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_page_exists(command):
    assert command in cli.sources
    assert CliRunner().invoke(cli, [command, "--help"]).exit_code == 0
