"""Start of the bot on Windows, without `resource` and numeric users."""

import os
import subprocess
import sys

import pytest

from services.kernel.private_files import close_to_others

CODE = """
import sys
sys.modules["resource"] = None
import bot.cli.runner, bot.cli.doctor.tools, bot.http.server.server, bot.app.inspection
from bot.http.server.connection_limits import ConnectionLimits, raise_file_limit
from bot.config.settings import HttpSettings

raise_file_limit()
limits = ConnectionLimits.of(HttpSettings(max_connections=700, max_connections_per_address=70))
print(limits.in_all, limits.per_address)
"""


@pytest.mark.timeout(30)
def test_modules_that_start_with_the_bot_need_no_limits_of_the_system():
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=30, check=False)

    assert (run.stderr, run.stdout) == ("", "700 70\n")


def test_files_are_left_as_they_are_where_users_have_no_numbers(tmp_path, monkeypatch):
    file = tmp_path / "bubbles.db"
    file.touch(0o644)
    monkeypatch.delattr(os, "geteuid")

    assert close_to_others([file]) == []
