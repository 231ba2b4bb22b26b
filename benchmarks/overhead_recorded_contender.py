"""Contender of the overhead benchmark: this framework, with history, calls and turns written to SQLite.

In the public benchmark, copy this file next to `ours.py` (see `overhead_contender.py`) as `ours_recorded.py` and add
`--extra ours-recorded=PYTHON:ours_recorded`.
"""

import ours

PACKAGES = ours.PACKAGES
register = ours.register
run = ours.run
run_stream = ours.run_stream
close = ours.close


async def setup(base_url: str) -> None:
    await ours.setup(base_url, is_recorded=True)
