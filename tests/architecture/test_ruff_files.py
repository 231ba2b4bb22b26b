"""Check that ruff reads every module, also in packages named like its exclusions (`web/`)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_ruff_reads_every_module():
    ruff = Path(sys.executable).with_name("ruff")
    result = subprocess.run(
        [ruff, "check", "--show-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    modules = {
        str(file) for folder in ("bot", "function_calls", "services", "tests") for file in (ROOT / folder).rglob("*.py")
    }

    assert modules - set(result.splitlines()) == set()
