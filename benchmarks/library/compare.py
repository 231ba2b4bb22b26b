"""Compare the program of docs/how-to/use-as-a-library.md with the same one in pydantic-ai and openai-agents.

    python -m benchmarks.library.compare --pydantic-ai PYTHON --openai-agents PYTHON

Each program runs in its own Python with a fake model server: a response 503, three calls of which one has a wrong
argument, a structured answer, and a streamed text. Prints the number of non-blank lines (an import counts as one) and
of import statements, the bytes of the first request, and the error that the model gets for the wrong argument.
"""

import argparse
import ast
import asyncio
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from tests.support.openai_server import OpenAIServer, call, calls, say, status

_HERE = Path(__file__).parent
_PAGE = _HERE.parents[1] / "docs" / "how-to" / "use-as-a-library.md"
_OFFER = {"items": ["apple", "pear", "plum"], "total": 3.5}
_SENTENCE = "Three fruits for 3.50 euros, enjoy!"
_FINAL_ANSWERS = {"ours": call("give_answer", _OFFER), "pydantic-ai": call("final_result", _OFFER)}


async def run(name: str, python: str, program: Path) -> list[dict[str, object]]:
    """Run one program and return the bodies of its requests.

    Raises:
        SystemExit: The program does not print the text that the model streams.
    """
    script = [
        status(503, retry_after=0),
        calls(("price", {"item": "apple"}), ("price", {"item": "pear"}), ("price", {"item": "prune"})),
        call("price", {"item": "plum"}),
        _FINAL_ANSWERS.get(name, say(json.dumps(_OFFER))),
        say(_SENTENCE),
    ]
    async with OpenAIServer(script) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "sk-fake"}
        process = await asyncio.create_subprocess_exec(python, str(program), env=environment, stdout=-1, stderr=-1)
        output, errors = await process.communicate()
        if _SENTENCE not in output.decode():
            raise SystemExit(f"{name}: {output.decode()}{errors.decode()}")
        return [request.body for request in server.requests]


def show(name: str, program: str, bodies: list[dict[str, object]]) -> None:
    """Print the figures of one program."""
    imports = [each for each in ast.parse(program).body if isinstance(each, ast.Import | ast.ImportFrom)]
    continuation_lines = sum((each.end_lineno or each.lineno) - each.lineno for each in imports)
    lines = sum(bool(line.strip()) for line in program.splitlines()) - continuation_lines
    size = len(json.dumps(bodies[0], ensure_ascii=False, separators=(",", ":")).encode())
    error = next(each["content"] for each in reversed(bodies[2]["messages"]) if each["role"] == "tool")
    print(f"{name}: {lines} lines, {len(imports)} imports, {size} bytes; the model reads: {error}")


def main() -> None:
    """Run our program, and the others whose Python is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pydantic-ai")
    parser.add_argument("--openai-agents")
    options = parser.parse_args()
    ours = re.findall(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    peers = {"pydantic-ai": options.pydantic_ai, "openai-agents": options.openai_agents}
    programs = {"ours": (sys.executable, ours)} | {
        name: (python, (_HERE / f"{name.replace('-', '_')}_program.py").read_text(encoding="utf-8"))
        for name, python in peers.items()
        if python
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, (python, text) in programs.items():
            program = Path(folder) / f"{name}.py"
            program.write_text(text, encoding="utf-8")
            show(name, text, asyncio.run(run(name, python, program)))


if __name__ == "__main__":
    main()
