"""Imports, which are fast and have no side effects."""

import subprocess
import sys
from functools import cache

import pytest

# Each starts an interpreter; the first one in a new clone compiles all modules.
pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]

HEAVY = ("openai", "sqlalchemy", "apscheduler", "httpx", "prompt_toolkit", "pydantic")
RUNNING = "import bot.cli.runner"
FOR_A_MODEL = {
    "function_calls.llm",
    "function_calls.grounding.review",
    "services.language_model.openai_model",
}
FOR_TOOL_SERVERS = {"bot.tools.servers.connections", "bot.tools.servers.mcp.servers", "function_calls.toolsets.openapi"}
FOR_WRITTEN_TOOLS = {"bot.tools.stored", "function_calls.toolsets.stored"}
FOR_THE_PAGE = {"fastapi", "uvicorn", "websockets", "bot.http", "bot.platforms.web"}
FOR_SUMMARIES = {"services.summary.content", "services.summary.extractive", "services.summary.model_summarizer"}
UNASKED = [
    FOR_A_MODEL,
    FOR_TOOL_SERVERS,
    FOR_WRITTEN_TOOLS,
    FOR_THE_PAGE,
    FOR_SUMMARIES,
    {"alembic"},
]


@cache
def modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_help_text_loads_nothing_heavy():
    assert not modules_after("import bot.__main__") & set(HEAVY)


def test_a_terminal_is_invited_to_type_before_the_bot_is_loaded():
    assert not modules_after("import bot.cli.serve") & {"sqlalchemy", "prompt_toolkit", "bot.app.application"}


def test_the_wired_bot_loads_no_model_client_and_no_terminal_library():
    assert not modules_after(RUNNING) & {"openai", "httpx", "httpcore", "prompt_toolkit", "apscheduler"}


def test_the_functions_are_offered_before_arguments_can_be_checked():
    assert "jsonschema_rs" not in modules_after(
        "from bot.app.registry import built_in_registry; built_in_registry().specs"
    )


def test_public_names_are_loaded_when_they_are_used():
    assert not modules_after("import function_calls") & {"pydantic", "msgspec", "loguru"}
    assert not modules_after("from function_calls import Tool, tool_function") & FOR_A_MODEL
    assert not modules_after("from function_calls import Agent") & {"openai", "httpx2", "function_calls.understanding"}


@pytest.mark.parametrize("unused", UNASKED)
def test_start_loads_no_unused_modules(unused):
    assert not modules_after(RUNNING) & unused
