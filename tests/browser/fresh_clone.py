"""A clone of the last commit, with the packages that `make` installs."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
_SCRIPT = "#!{python}\nfrom bot.__main__ import main\n\nmain()\n"


def is_clonable() -> bool:
    """Return whether the tests run in a clone, and not in an unpacked archive."""
    return (ROOT / ".git").exists()


def clone_repository(folder: Path) -> Path:
    """Clone the last commit into `folder`, with the packages of this environment; return the clone.

    The packages are not installed again, so that the tests need no network.
    """
    clone = folder / "bubbles"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), clone], check=True, capture_output=True)
    venv.create(clone / ".venv", with_pip=False, symlinks=True)
    python = clone / ".venv" / "bin" / "python"
    packages = clone / ".venv" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    (packages / "fresh.pth").write_text(f"{clone}\n{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    script = python.with_name("bubbles")
    script.write_text(_SCRIPT.format(python=python), encoding="utf-8")
    script.chmod(0o755)
    (clone / ".venv" / ".runtime").touch()
    return clone
