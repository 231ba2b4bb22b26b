"""The command `bubbles new handler`, which writes a function and its test."""

import importlib.util

import pytest
from click.testing import CliRunner

from bot.__main__ import cli


@pytest.fixture
def make(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda name: CliRunner().invoke(cli, ["new", "handler", name])


def test_a_function_and_its_test_are_written(make, tmp_path):
    result = make("water_plants")

    assert result.exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test_water_plants.py", "water_plants.py"]


@pytest.mark.integration  # a pytest of its own
def test_written_tests_pass(make, tmp_path, pytester_run):
    make("water_plants")

    code, output = pytester_run(tmp_path)

    assert code == 0, output
    assert "3 passed" in output


def test_the_function_is_a_tool_of_that_name(make, tmp_path):
    from function_calls.registry import Registry

    make("water_plants")
    spec = importlib.util.spec_from_file_location("water_plants", tmp_path / "water_plants.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    registry = Registry()
    registry.collect(module)

    assert [tool.name for tool in registry.specs] == ["water_plants"]


def test_existing_files_are_not_overwritten(make, tmp_path):
    (tmp_path / "water_plants.py").write_text("mine", encoding="utf-8")

    result = make("water_plants")

    assert result.exit_code == 1
    assert (tmp_path / "water_plants.py").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "test_water_plants.py").exists()


REFUSED = [
    ("water-plants", "for example water_plants"),
    ("WaterPlants", "for example water_plants"),
    ("water plants", "for example water_plants"),
    ("water_plants.py", "for example water_plants"),
    ("Über", "for example uber"),
    ("_hidden", "for example hidden"),
    ("x" * 65, "at most 64"),
    ("", "use a-z, 0-9 and _"),
    ("3plants", "use a-z, 0-9 and _"),
    ("浇花", "write phrases in other scripts into examples=[…]"),
    ("../out", "is a path; change into the folder first, and give only a name; for example out"),
    ("plugins/out", "is a path; change into the folder first, and give only a name; for example out"),
    ("class", "it is a keyword of Python; for example my_class"),
    ("json", "is already a name in Python or in the new file; for example my_json"),
    ("pytest", "is already a name"),
    ("bot", "is already a name"),
    ("list", "is already a name"),
    ("call_tool", "is already a name"),
    ("test_plants", "is a file name of pytest; for example plants"),
    ("conftest", "is a file name of pytest"),
    ("reminder_set", "the bot has a function 'reminder_set'; names must be unique"),
]


@pytest.mark.parametrize(("name", "expected"), REFUSED)
def test_unusable_name_is_refused_with_a_usable_one(make, tmp_path, name, expected):
    result = make(name)

    assert expected in result.output
    assert result.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_unwritable_folder_is_reported(tmp_path, monkeypatch):
    (tmp_path / "plugins").write_text("a file where the folder should be", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    result = CliRunner().invoke(cli, ["new", "plugin", "water_plants"])

    assert result.exit_code == 1
    assert result.output == f"bubbles: {tmp_path / 'plugins'}: File exists\n"


def test_a_folder_of_that_name_is_a_plugin_already(tmp_path, monkeypatch):
    (tmp_path / "plugins" / "water_plants").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    result = CliRunner().invoke(cli, ["new", "plugin", "water_plants"])

    assert result.exit_code == 1
    assert result.output == "bubbles: plugins/water_plants exists already; nothing was written\n"


@pytest.mark.integration  # a pytest of its own
@pytest.mark.parametrize("name", ["search_web", "remind_me", "match", "x"])
def test_test_of_a_plugin_passes_for_any_name(tmp_path, monkeypatch, pytester_run, name):
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(cli, ["new", "plugin", name])

    code, output = pytester_run(tmp_path / "plugins")

    assert code == 0, output


@pytest.fixture
def pytester_run():
    """Run pytest in a folder, in a process of its own, and return its exit code and output."""
    import os
    import subprocess
    import sys
    from pathlib import Path

    root = Path(__file__).parents[4]

    def run(folder):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            timeout=55,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return run
