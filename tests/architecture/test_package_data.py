"""Every file of the packages is installed with them."""

import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "function_calls", "services")


def test_all_files_are_package_data():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    declared = project["tool"]["setuptools"]["package-data"]
    result = subprocess.run(["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=True)
    of_page = [f"bot/http/{pattern}" for pattern in declared["bot.http"]]

    missing = [
        path
        for path in result.stdout.split()
        if not any(fnmatch(Path(path).name, pattern) for pattern in ("*.py", *declared["*"]))
        and not any(fnmatch(path, pattern) for pattern in of_page)
    ]

    assert missing == []
