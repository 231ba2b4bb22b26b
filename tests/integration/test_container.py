"""Rules of the Containerfile without a container: an unprivileged user, a read-only root, one writable folder."""

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
RIGHTLESS = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs", "--bounding-set=-all"]
READ_ONLY = 'mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,ro,bind / && cd "$0" && exec "$@"'


class Container:
    """Runs commands as the container would; `data` stands for its volume."""

    def __init__(self, data: Path, port: int) -> None:
        self.data = data
        instead = {
            "/opt/bubbles/bin": str(Path(sys.executable).parent),
            "/data": str(data),
            "/etc/bubbles/config.toml": str(ROOT / "config.toml"),
            ":8765": f":{port}",
        }
        self._instead = re.compile("|".join(map(re.escape, instead))), instead
        [line] = re.findall(r"^ENV (.*)", TEXT, re.MULTILINE)
        named = dict(part.split("=", 1) for part in self._here(line).split())
        named["PATH"] = named["PATH"].replace("$PATH", os.defpath)
        self.environment = {**named, "PYTHONPATH": str(ROOT), "BUBBLES_HTTP__PORT": str(port)}

    def _here(self, text: str) -> str:
        pattern, instead = self._instead
        return pattern.sub(lambda found: instead[found[0]], text)

    def start(self, command: list[str], **settings: str) -> subprocess.Popen[str]:
        """A process of the container."""
        return subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", READ_ONLY, self.data, *RIGHTLESS, *map(self._here, command)],
            env={**self.environment, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: list[str], **settings: str) -> tuple[int, str]:
        """Exit status and output of a process that ends."""
        process = self.start(command, **settings)
        said, _ = process.communicate(timeout=60)
        return process.returncode, said


@pytest.fixture
def container():
    if os.geteuid() != 0 or not all(map(shutil.which, ("unshare", "setpriv", "mount"))):
        pytest.skip("only root can give up its rights")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:  # not below pytest's own, which only root may enter
        Path(folder).chmod(0o755)
        data = Path(folder) / "data"
        data.mkdir()
        os.chown(data, int(USER), int(USER))
        made = Container(data, port)
        status, said = made.run(["python", "-c", "import bot"])
        if status:
            pytest.skip(f"this machine lets a user without rights not even begin: {said[-200:]}")
        yield made


def test_container_runs_unprivileged_on_a_read_only_root_is_healthy_and_stops(container):
    refused, why = container.run(RUN)
    process = container.start(RUN, BUBBLES_HTTP__TOKEN="a token of thirty-two letters or more")
    told = next(line for line in process.stdout if "http://" in line or "bubbles:" in line)
    health = container.run(HEALTH)
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=30)

    assert refused != 0
    assert "BUBBLES_HTTP__TOKEN" in why
    assert health == (0, ""), told + said
    assert process.returncode == 0, said
    assert (container.data / "bubbles.db").stat().st_uid == int(USER)
