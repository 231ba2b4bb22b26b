"""Arguments as the only input of handlers, which never read the message of a call."""

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HANDLERS = ("function_calls/functions", "function_calls/handlers.py")
# Stored messages whose text is the data: searched, exported, or looked through for what was left undone.
DATA = {
    "function_calls/functions/history/handlers.py",
    "function_calls/functions/privacy/own_data.py",
    "function_calls/functions/undo/target.py",
}


def modules() -> list[str]:
    result = subprocess.run(["git", "ls-files", *HANDLERS], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in result.stdout.split() if path.endswith(".py") and (ROOT / path).exists()]


def texts_read(path: str) -> list[ast.Attribute]:
    """Return the reads of `message.text` in a module."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    reads = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "text")
    return [node for node in reads if ast.unparse(node.value).endswith("message")]


@pytest.mark.parametrize("path", modules())
def test_no_handler_reads_the_text_of_a_message(path: str):
    reads = texts_read(path)
    is_of_the_call = any(ast.unparse(node.value) in {"ctx.message", "context.message"} for node in reads)

    assert not is_of_the_call, "put what the message says into an argument; see function_calls/grounding"
    assert not reads or path in DATA


def test_handlers_of_the_specification_are_short():
    tree = ast.parse((ROOT / "function_calls/handlers.py").read_text(encoding="utf-8"))
    lengths = {node.name: node.end_lineno - node.lineno + 1 for node in tree.body if hasattr(node, "args")}

    assert set(lengths) == {"reminder_set", "reminder_list", "reminder_delete", "perplexity_search", "summary"}
    assert max(lengths.values()) <= 15


@pytest.mark.parametrize("path", modules())
def test_no_handler_imports_the_comparison_with_the_message(path: str):
    assert "function_calls.grounding" not in (ROOT / path).read_text(encoding="utf-8")
