"""The function exec, confined to the workspace by the kernel."""

import asyncio
import json
import os
import socket
import sys
import time

import pytest

from bot.tools.stored.runner import RunLimits
from bot.tools.workspace.files import Workspace
from bot.tools.workspace.functions import WorkspaceFunctions
from services.kernel.errors import ToolFailed
from tests.unit.workspace.conftest import WorkspaceRig

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform != "linux", reason="needs Landlock and seccomp"),
]


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


async def run(files, command, timeout=None, **limits):  # noqa: ASYNC109 - the specification's name
    functions = WorkspaceFunctions(Workspace(files), RunLimits(**{"seconds": 5, **limits}))
    return await functions.run_command(command, timeout)


async def output_of(files, command, **limits):
    return (await run(files, command, **limits))["output"]


async def test_owner_runs_a_confirmed_command(tmp_path):
    rig = WorkspaceRig(tmp_path)
    (rig.files / "a.txt").write_text("one", encoding="utf-8")

    call = await rig.call("exec", "yes", command="ls | wc -l; echo oops >&2; exit 3")

    assert json.loads(call["result"]) == {"exit_code": 3, "output": "1\noops\n"}


async def test_command_reads_and_writes_the_workspace(files):
    (files / "a.txt").write_text("one\n", encoding="utf-8")

    assert await output_of(files, "cat a.txt > b.txt && mkdir c && mv b.txt c/ && cat c/b.txt 2>/dev/null") == "one\n"


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/passwd",
        "python3 -c 'print(open(\"/etc/passwd\").read())'",
        "cat /proc/{parent}/environ",
        "cat /proc/self/environ",
        "cat {this_file}",
        "ln -s /etc/passwd x && cat x",
        "cd / && ls",
        "sh -c 'sh -c \"cat /etc/passwd\"'",
    ],
)
async def test_command_reads_no_file_outside_the_workspace(files, command):
    result = await run(files, command.replace("{parent}", str(os.getpid())).replace("{this_file}", __file__))

    assert result["exit_code"] != 0
    assert "root:" not in result["output"]
    assert "PATH=" not in result["output"]


async def test_command_changes_no_file_outside_the_workspace(files):
    outside = files.parent / "outside.txt"
    outside.write_text("safe", encoding="utf-8")
    outside.chmod(0o644)

    await run(files, f"echo broken > {outside}; rm -f {outside}; mv {outside} .; chmod 777 {outside}; touch {outside}2")

    assert outside.read_text(encoding="utf-8") == "safe"
    assert outside.stat().st_mode & 0o777 == 0o644
    assert not outside.with_name("outside.txt2").exists()


async def test_command_sees_no_secret_of_the_environment(files, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")

    output = await output_of(files, "env")

    assert "sk-planted" not in output
    assert f"HOME={files}" in output


async def test_command_reaches_no_network(files):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.1)
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
        result = await run(files, f"python3 -c \"{code}\" || bash -c 'echo > /dev/tcp/127.0.0.1/{port}'")
        assert result["exit_code"] != 0
        with pytest.raises(TimeoutError):
            server.accept()


async def test_command_ends_no_other_process(files):
    other = await asyncio.create_subprocess_exec("sleep", "60")
    await run(files, f"kill -9 {other.pid}; python3 -c 'import os; os.kill({other.pid}, 9)'")
    await asyncio.sleep(0.1)
    is_alive = other.returncode is None
    other.kill()
    await other.wait()

    assert is_alive


async def test_command_makes_no_namespaces(files):
    assert (await run(files, "unshare -U true"))["exit_code"] != 0


async def test_slow_command_is_stopped_with_its_child_processes(files):
    started = time.monotonic()

    with pytest.raises(ToolFailed, match=r"stopped after 1 s; its output: begun"):
        await run(files, "echo begun; (sleep 20; echo late > late.txt) & sleep 20", timeout=1)

    assert time.monotonic() - started < 15


async def test_time_limit_of_a_command_excludes_its_start(files):
    with pytest.raises(ToolFailed, match="stopped after 1 s"):
        await run(files, "sleep 3; echo late", timeout=1)


@pytest.mark.timeout(20)
async def test_command_that_ignores_its_timer_is_stopped(files):
    with pytest.raises(ToolFailed, match="stopped after 1 s"):
        await run(files, "trap '' ALRM; echo begun; while true; do sleep 1; done", timeout=1)


async def test_processes_in_the_background_end_with_the_command(files):
    result = await run(files, "(sleep 2; echo late > late.txt) & echo done")
    await asyncio.sleep(2.5)

    assert result == {"exit_code": 0, "output": "done\n"}
    assert not (files / "late.txt").exists()


async def test_long_output_is_cut(files):
    output = await output_of(files, "head -c 100000 /dev/zero | tr '\\0' x")

    assert len(output) < 21_000
    assert output.endswith("more was printed]")


async def test_files_of_a_command_are_limited(files):
    with pytest.raises(ToolFailed, match="1 MB together"):
        await run(files, "i=0; while true; do i=$((i+1)); head -c 500000 /dev/zero > f$i; done", folder_megabytes=1)


@pytest.mark.skipif(os.getuid() == 0, reason="RLIMIT_NPROC does not apply to root")
async def test_fork_bomb_ends(files):
    with pytest.raises(ToolFailed):
        await run(files, "f() { f | f & }; f; sleep 10", timeout=2)
