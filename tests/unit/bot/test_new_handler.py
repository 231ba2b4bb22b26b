"""`bubbles new handler` writes a function and a test, and both pass."""

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
def test_both_pass(make, tmp_path, pytester_run):
    make("water_plants")

    code, output = pytester_run(tmp_path)

    assert code == 0, output
    assert "3 passed" in output


def test_the_function_is_a_tool_of_that_name(make, tmp_path):
    from function_calls.context import CallContext
    from function_calls.registry import Registry

    make("water_plants")
    spec = importlib.util.spec_from_file_location("water_plants", tmp_path / "water_plants.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    registry = Registry(injectable=(CallContext,))
    registry.collect(module)

    assert [tool.name for tool in registry.specs] == ["water_plants"]


def test_nothing_is_overwritten(make, tmp_path):
    (tmp_path / "water_plants.py").write_text("mine", encoding="utf-8")

    result = make("water_plants")

    assert result.exit_code == 1
    assert (tmp_path / "water_plants.py").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "test_water_plants.py").exists()


@pytest.mark.parametrize("name", ["water-plants", "class", "../out", "Über", "_hidden", "x" * 65])
def test_a_name_that_cannot_be_a_function_is_refused(make, tmp_path, name):
    result = make(name)

    assert result.exit_code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def pytester_run():
    """Runs pytest in a folder, in a process of its own; returns its exit code and output."""
    import os
    import subprocess
    import sys
    from pathlib import Path

    root = Path(__file__).parents[3]

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
