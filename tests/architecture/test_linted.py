"""What ruff is told to leave out (`web/`, a folder of TypeScript) must not hide a package of the same name."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_ruff_reads_every_module():
    ruff = Path(sys.executable).with_name("ruff")
    shown = subprocess.run([ruff, "check", "--show-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    modules = {
        str(file) for room in ("bot", "function_calls", "services", "tests") for file in (ROOT / room).rglob("*.py")
    }

    assert modules - set(shown.splitlines()) == set()
