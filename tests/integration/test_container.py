"""Rules of the Containerfile, run without a container: an unprivileged user, a read-only root, one writable folder."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.timeout(90)]
ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "examples" / "deploy" / "Containerfile").read_text(encoding="utf-8").replace("\\\n", "")
[USER] = re.findall(r"^USER (\d+)", TEXT, re.MULTILINE)
[RUN, HEALTH] = [
    json.loads(re.search(rf"^{line} (\[.*\])", TEXT, re.MULTILINE)[1]) for line in ("CMD", "HEALTHCHECK.* CMD")
]
UNPRIVILEGED = [
    "setpriv",
    f"--reuid={USER}",
    f"--regid={USER}",
    "--clear-groups",
    "--no-new-privs",
    "--bounding-set=-all",
]
READ_ONLY = 'mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,ro,bind / && cd "$0" && exec "$@"'


class Container:
    """Runs commands as in the container, with the folder `data` as its volume."""

    def __init__(self, data: Path, port: int) -> None:
        self.data = data
        replacements = {
            "/opt/bubbles/bin": str(Path(sys.executable).parent),
            "/data": str(data),
            "/etc/bubbles/config.toml": str(ROOT / "config.toml"),
            ":8765": f":{port}",
        }
        self._replacements = re.compile("|".join(map(re.escape, replacements))), replacements
        [line] = re.findall(r"^ENV (.*)", TEXT, re.MULTILINE)
        named = dict(part.split("=", 1) for part in self._translate(line).split())
        named["PATH"] = named["PATH"].replace("$PATH", os.defpath)
        self.environment = {**named, "PYTHONPATH": str(ROOT), "BUBBLES_HTTP__PORT": str(port)}

    def _translate(self, text: str) -> str:
        pattern, replacements = self._replacements
        return pattern.sub(lambda found: replacements[found[0]], text)

    def start(self, command: list[str], **settings: str) -> subprocess.Popen[str]:
        """Start a process."""
        return subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", READ_ONLY, self.data, *UNPRIVILEGED, *map(self._translate, command)],
            env={**self.environment, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: list[str], **settings: str) -> tuple[int, str]:
        """Run a process to its end; return its exit status and output."""
        process = self.start(command, **settings)
        output, _ = process.communicate(timeout=60)
        return process.returncode, output


@pytest.fixture
def container():
    if os.geteuid() != 0 or not all(map(shutil.which, ("unshare", "setpriv", "mount"))):
        pytest.skip("only root can drop its privileges")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:  # not in pytest's folder, which only root may enter
        Path(folder).chmod(0o755)
        data = Path(folder) / "data"
        data.mkdir()
        os.chown(data, int(USER), int(USER))
        container = Container(data, port)
        status, output = container.run(["python", "-c", "import bot"])
        if status:
            pytest.skip(f"an unprivileged user cannot start Python on this machine: {output[-200:]}")
        yield container


def test_unprivileged_container_with_a_read_only_root_is_healthy_and_stops(container):
    exit_code, reason = container.run(RUN)
    process = container.start(RUN, BUBBLES_HTTP__TOKEN="a token of thirty-two letters or more")
    first_line = next(line for line in process.stdout if "http://" in line or "bubbles:" in line)
    health = container.run(HEALTH)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=30)

    assert exit_code != 0
    assert "BUBBLES_HTTP__TOKEN" in reason
    assert health == (0, ""), first_line + output
    assert process.returncode == 0, output
    assert (container.data / "bubbles.db").stat().st_uid == int(USER)
