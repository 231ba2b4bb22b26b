"""The curl commands of docs/reference/http.md."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.support.http_bot import served_bot

pytestmark = pytest.mark.integration

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "http.md"
BLOCK = re.compile(r"```bash\n(.*?)```", re.DOTALL)


def read_commands():
    """Yield the commands of the page in order, with continued lines joined."""
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        yield from re.sub(r"\\\n\s*", "", block).strip().splitlines()


async def test_every_documented_request_is_answered(tmp_path):
    refusals = []
    async with served_bot(files=tmp_path) as (address, _):
        for command in read_commands():
            request = command.replace("http://127.0.0.1:8765", address).replace(
                "curl ", "curl -sS --fail-with-body ", 1
            )
            request = re.sub(r"(?<= )(http\S+)", r"'\1'", request)
            process = await asyncio.create_subprocess_shell(
                request, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )
            answer, _ = await process.communicate()
            if process.returncode:
                refusals.append((command, answer.decode()))

    assert refusals == []
