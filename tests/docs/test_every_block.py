"""Code blocks of every page, which are run or listed with a reason."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from textwrap import dedent

import click
import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from bot.config.sources import load_settings
from bot.plugins.loading import ENTRY_POINTS

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*(ROOT / name for name in ("README.md", "README.zh.md", "CONTRIBUTING.md")), *(ROOT / "docs").rglob("*.md")]
)
FENCE = re.compile(r"(?P<before>[^\n]*)\n(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)\n(?P=indent)```", re.DOTALL)
SHELL = ("sh", "bash")

RUN_BY = {
    ("README.md", "python"): "tests/docs/test_readme.py",
    ("README.zh.md", "python"): "tests/docs/test_readme.py",
    ("docs/tutorial/first-function.md", "python"): "tests/docs/test_tutorial.py",
    ("docs/tutorial/first-plugin.md", "python"): "tests/docs/test_first_plugin.py",
    ("docs/tutorial/first-platform.md", "python"): "tests/integration/test_tutorials.py",
    ("docs/how-to/extend-the-bot.md", "python"): "tests/docs/test_extend_the_bot.py",
    ("docs/how-to/use-as-a-library.md", "python"): "tests/docs/test_use_as_a_library.py",
    ("docs/how-to/write-functions.md", "python"): "tests/docs/test_write_functions.py",
    ("docs/how-to/write-tests.md", "python"): "tests/docs/test_write_tests.py",
    ("docs/how-to/connect-a-model.md", "python"): "tests/docs/test_connect_a_model.py",
    ("docs/reference/reminders.md", "python"): "tests/docs/test_reminders_reference.py",
    ("docs/reference/permissions.md", "python"): "tests/docs/test_permissions_reference.py",
    ("docs/reference/external-tools.md", "python"): "tests/docs/test_external_tools.py",
    ("docs/how-to/use-the-bot-from-other-programs.md", "python"): "tests/integration/test_tutorials.py",
    ("docs/reference/http.md", "bash"): "tests/integration/http/test_documented_requests.py",
}
"""Python and curl that need a harness, and the test that has it."""

NOT_RUN = {
    ("docs/how-to/check-the-bot.md", "text"): "what `bubbles doctor` prints on somebody's machine",
    ("docs/how-to/add-skills.md", "markdown"): "a skill; tests/docs/test_add_skills.py loads it",
    ("docs/explanation/architecture.md", "text"): "a drawing",
    ("docs/explanation/delivery-guarantees.md", "text"): "a drawing",
    (
        "docs/how-to/remind-another-chat.md",
        "text",
    ): "examples of requests; tests/unit/bot/inbound/test_cross_chat.py says such words",
    ("README.md", "bat"): "for Windows",
    ("README.zh.md", "bat"): "for Windows",
    ("CONTRIBUTING.md", ""): "a list of folders; that they exist is tested below",
}

NOT_RUN_COMMANDS = {
    "python3.11 -m venv": "makes an environment from the network",
    "/opt/bubbles/bin/pip": "installs from the network",
    "install ": "writes into /etc",
    "systemd-run": "needs a running systemd",
    "systemctl": "needs a running systemd",
    "podman": "needs a container engine; tests/integration/test_container.py does without one",
    "TOKEN=": "needs a container engine; the files are read by tests/docs/test_deploy.py",
    "curl": "of pages other than http.md: needs a file or a token of the reader's own",
    "python -m pytest": "is what runs this",
    "pip install pytest": "installs from the network",
}
"""What cannot be run in a test, by how the command begins, with the reason."""


def blocks():
    for page in PAGES:
        text = "\n" + page.read_text(encoding="utf-8")
        for found in FENCE.finditer(text):
            yield str(page.relative_to(ROOT)), found["language"], dedent(found["text"]), found["before"]


BLOCKS = list(blocks())


def blocks_in(*languages):
    return [
        pytest.param(page, text, id=f"{page}-{number}")
        for number, (page, language, text, _) in enumerate(BLOCKS)
        if language in languages
    ]


def test_every_fence_of_every_page_is_seen():
    fences = sum(len(re.findall(r"^ *```", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in PAGES)

    assert fences == 2 * len(BLOCKS)
    assert len(BLOCKS) > 50


def test_only_known_languages_are_used():
    languages = {"python", "toml", "json", "text", *SHELL}
    others = {(page, language) for page, language, *_ in BLOCKS if language not in languages}

    assert others <= set(NOT_RUN)


@pytest.mark.parametrize(("place", "test"), RUN_BY.items(), ids=lambda value: str(value))
def test_the_test_that_runs_a_page_s_blocks_reads_that_page(place, test):
    page, language = place

    assert Path(page).name in (ROOT / test).read_text(encoding="utf-8")
    assert any((each, kind) == place for each, kind, *_ in BLOCKS), f"{page} has no {language} any more"


@pytest.mark.parametrize("place", NOT_RUN, ids=lambda place: place[0])
def test_blocks_listed_as_not_run_exist(place):
    assert any((page, language) == place for page, language, *_ in BLOCKS)


@pytest.mark.parametrize(
    "page", sorted({page for page, language, *_ in BLOCKS if language == "python" and (page, "python") not in RUN_BY})
)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    for each, language, text, _ in BLOCKS:
        if (each, language) == (page, "python"):
            exec(compile(text, page, "exec"), names)

    assert len(names) > 2


@pytest.mark.parametrize(("page", "text"), blocks_in("toml"))
def test_the_toml_of_a_page_is_settings(page, text, tmp_path):
    if "project" in tomllib.loads(text):  # of a package that brings a plugin
        assert list(tomllib.loads(text)["project"]["entry-points"]) == [ENTRY_POINTS]
        return
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")

    load_settings(tmp_path / "config.toml", {})


@pytest.mark.parametrize(("page", "text"), blocks_in("json"))
def test_the_json_of_a_page_is_json(page, text):
    assert json.loads(text)


def test_a_text_is_a_dialogue_that_is_played_or_is_listed():
    unmarked = {
        page
        for page, language, _, before in BLOCKS
        if language == "text" and not before.startswith("<!-- dialogue") and (page, language) not in NOT_RUN
    }

    assert unmarked == set()


@pytest.mark.parametrize("page", sorted({page for page, _, _, before in BLOCKS if before.startswith("<!-- dialogue")}))
def test_a_page_with_dialogues_is_played_by_a_test(page):
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "docs").glob("test_*.py"))

    assert re.search(rf'"{Path(page).name}"|"{Path(page).stem}"', tests)


def commands():
    for page, language, text, _ in BLOCKS:
        if language in SHELL and (page, language) not in RUN_BY:
            for line in re.sub(r"\\\n\s*", "", text).splitlines():
                if line.strip() and not line.startswith("#"):
                    yield page, line.strip()


@pytest.mark.parametrize(("page", "command"), sorted(set(commands())), ids=lambda value: str(value)[:60])
def test_every_command_of_a_page_is_one(page, command):
    if any(command.startswith(start) for start in NOT_RUN_COMMANDS):
        return
    for part in command.split(" | "):
        words = shlex.split(part, comments=True)
        assert is_known(words), f"{page}: nothing is known of {part!r}"


def is_known(words):
    """Return whether a command exists: a target of `make`, a command of `bubbles` with its options, and so on."""
    if words[0] == "make":
        return re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE) is not None
    if words[0] == "export":
        return "=" in words[1]
    if words[0] == "bubbles":
        return takes_words(words[1:])
    if words[0] == "pip":
        return is_installation(words[1:])
    return words[0] in {"printf", "echo", "cd", ".", "git"}


def is_installation(words):
    """Return whether a `pip` command installs known extras of this project as an editable installation."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = re.fullmatch(r"\.\[([\w,]+)\]", words[-1])
    return (
        words[:-1] == ["install", "-e"]
        and extras is not None
        and {*extras[1].split(",")} <= project["optional-dependencies"].keys()
    )


def takes_words(words):
    command, path = cli, []
    while words and isinstance(command, click.Group) and words[0] in command.list_commands(click.Context(command)):
        command = command.get_command(click.Context(command), words[0])
        path.append(words.pop(0))
    result = CliRunner().invoke(cli, [*path, "--help"])
    options = [word for word in words if word.startswith("--")]
    return bool(path) and result.exit_code == 0 and all(option in result.output for option in options)


def test_unknown_command_is_detected():
    assert not is_known(["bubbles", "fly"])
    assert not is_known(["bubbles", "run", "--fast"])
    assert not is_known(["make", "tea"])
    assert not is_known(["pip", "install", ".[irc]"])
    assert not is_known(["pip", "install", "-e", ".[tea]"])


def test_folders_named_for_contributors_exist():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = re.findall(r"^(\w+)/ ", page, re.MULTILINE)

    assert folders
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
