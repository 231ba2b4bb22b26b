"""Importing must be cheap and must change nothing."""

import subprocess
import sys

HEAVY = ("openai", "sqlalchemy", "apscheduler", "httpx", "prompt_toolkit", "pydantic")


def modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_help_text_loads_nothing_heavy():
    assert not modules_after("import bot.__main__") & set(HEAVY)


def test_the_wired_bot_loads_no_model_client_and_no_terminal_library():
    assert not modules_after("import bot.app") & {"openai", "httpx", "prompt_toolkit", "apscheduler"}
