"""Tutorials, run in a fresh folder and environment."""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.http_bot import served_bot

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FIRST_BOT, FIRST_FUNCTION, FIRST_PLUGIN, FIRST_PLATFORM, OTHER_PROGRAMS = (
    (DOCS / page).read_text(encoding="utf-8")
    for page in (
        "tutorial/first-bot.md",
        "tutorial/first-function.md",
        "tutorial/first-plugin.md",
        "tutorial/first-platform.md",
        "how-to/use-the-bot-from-other-programs.md",
    )
)


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


@pytest.fixture
def shell(tmp_path):
    """Return a function that runs commands in an empty folder, without settings and with `bubbles` on the path."""
    home = tmp_path / "home"
    folder = tmp_path / "project"
    home.mkdir()
    folder.mkdir()
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TZ": "Europe/Berlin",
        "PYTHONPATH": str(ROOT),
    }

    def run(command, typed=""):
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=environment,
            input=typed,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    run.folder, run.environment = folder, environment
    return run


@asynccontextmanager
async def run_bot(shell, command):
    """Run a bot within the context; yield its log."""
    environment = {**shell.environment, "BUBBLES_PLATFORMS__ENABLED": ",", "BUBBLES_HTTP__PORT": "0"}
    log = shell.folder / "log.txt"
    with log.open("wb") as written:
        process = await asyncio.create_subprocess_exec(
            *command.split(), cwd=shell.folder, env=environment, stdout=asyncio.subprocess.PIPE, stderr=written
        )
    try:
        async with asyncio.timeout(60):
            assert b"http://" in await process.stdout.readline()
        yield log
    finally:
        process.terminate()
        await process.wait()
    assert process.returncode == 0


async def join_room(port):
    """Connect to the room at `port`, which the platform opens soon after the bot has printed its addresses."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0.1)


def test_first_bot_answers_and_explains_its_last_answer(shell):
    [command] = blocks(FIRST_BOT, "sh")
    target = re.search(rf"^{command.split()[1]}:.*\n\t@\$\(BIN\)/(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    dialogue = blocks(FIRST_BOT, "text")[0]
    lines = [line for line in dialogue.splitlines() if line.startswith("ann: ")]

    output = shell(f"{target[1]} --linger 11", "\n".join(lines) + "\n")
    explanation = shell("bubbles explain last")

    assert re.search(r"✅ Set \[\w+\] for today at [\d:]+, in 1[01] seconds: stretch", output)
    assert "⏰ @ann stretch" in output
    assert re.search(r"✅ 已设置 \[\w+\].*：交报告", output)
    assert "undo" in explanation


def test_first_function_is_tested_and_called_by_the_bot(shell):
    handler, tests, program = blocks(FIRST_FUNCTION, "python")
    (shell.folder / "coins.py").write_text(handler, encoding="utf-8")
    (shell.folder / "test_coins.py").write_text(tests, encoding="utf-8")

    tested = shell("pytest -q test_coins.py")
    (shell.folder / "main.py").write_text(program, encoding="utf-8")
    own = shell("python main.py", "ann: flip 3 coins\n")
    (shell.folder / "plugins").mkdir()
    shutil.move(shell.folder / "coins.py", shell.folder / "plugins" / "coins.py")
    output = shell("bubbles chat", "ann: flip 2 coins\nann: 抛硬币\n")

    assert "2 passed" in tested
    assert re.search(r"🪙 ann: [HT] [HT] [HT]\b", own)
    assert re.search(r"🪙 ann: [HT] [HT]\n", output)
    assert len(re.findall("🪙", output)) == 2


def test_first_plugin_is_created_listed_and_called(shell):
    new, develop = (block.strip() for block in blocks(FIRST_PLUGIN, "sh"))
    only_functions, with_setup = blocks(FIRST_PLUGIN, "python")
    file = shell.folder / "plugins" / "water_plants.py"

    shell(new)
    listing = shell("bubbles plugins")
    tested = shell("pytest -q plugins")
    file.write_text(only_functions, encoding="utf-8")
    output = shell("bubbles chat", "ann: 浇花\n")
    file.write_text(with_setup, encoding="utf-8")
    second_output = shell("bubbles chat", "ann: water the plants\n")

    assert develop == "bubbles dev"
    assert "water_plants" in listing
    assert re.search(r"\d passed", tested)
    assert "💧 × 1" in output
    assert "💧 0.5 l" in second_output


async def test_first_platform_is_listed_tested_and_used_by_two_people(shell):
    *parts, test = blocks(FIRST_PLATFORM, "python")
    show, run = blocks(FIRST_PLATFORM, "sh")[0].splitlines()
    [words] = re.findall("type a name, then “(.*?)”", " ".join(FIRST_PLATFORM.split()))
    (shell.folder / "plugins").mkdir()
    (shell.folder / "plugins" / "lines.py").write_text("\n\n".join(parts), encoding="utf-8")
    (shell.folder / "test_lines.py").write_text(test, encoding="utf-8")

    shown, tested = await asyncio.gather(
        asyncio.to_thread(shell, show), asyncio.to_thread(shell, "pytest -q test_lines.py")
    )
    output = []
    async with run_bot(shell, run):
        people = [await join_room(7007) for _ in range(2)]
        for (_, writer), name in zip(people, ("ann", "ben"), strict=True):
            writer.write(f"{name}\n".encode())
        people[1][1].write(b"Bubbles, list my reminders\n")
        async with asyncio.timeout(30):
            await people[1][0].readline()  # ben is in the room
        people[0][1].write(f"{words.replace('10 seconds', '1 second')}\n".encode())
        async with asyncio.timeout(30):
            while not output or "⏰" not in output[-1]:
                output.append((await people[1][0].readline()).decode())
        for _, writer in people:
            writer.close()

    assert "lines" in shown
    assert "1 passed" in tested
    assert [line[:11] for line in output[:1]] == ["Bubbles: ✅ "]
    assert "tea" in output[-1]


async def test_new_version_of_a_plugin_is_loaded_by_a_running_bot(shell):
    plugins = shell.folder / "plugins"
    plugins.mkdir()
    file = plugins / "water_plants.py"
    file.write_text(blocks(FIRST_PLUGIN, "python")[0], encoding="utf-8")
    async with run_bot(shell, "bubbles dev") as log, asyncio.timeout(60):
        file.write_text(file.read_text(encoding="utf-8").replace("times: int = 1", "litres: int = 1, times: int = 1"))
        while "litres" not in log.read_text(encoding="utf-8"):  # noqa: ASYNC110 - a file has no event
            await asyncio.sleep(0.1)


async def test_openai_client_of_the_page_gets_an_answer():
    [program], [command, _] = blocks(OTHER_PROGRAMS, "python"), blocks(OTHER_PROGRAMS, "sh")
    names = {}
    async with served_bot() as (address, _):
        request = command.strip().replace("http://127.0.0.1:8765", address)
        given = await asyncio.to_thread(subprocess.check_output, shlex.split(request), text=True)
        text = program.replace("http://127.0.0.1:8765", address).replace("bub_…", json.loads(given)["token"])
        await asyncio.to_thread(lambda: exec(compile(text, "page", "exec"), names))

    assert "✅" in names["answer"].choices[0].message.content
