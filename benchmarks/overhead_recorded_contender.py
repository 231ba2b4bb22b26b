"""The overhead per message with the history and every call and turn written to SQLite, as the bot does it.

Copy it beside `ours.py` (see `overhead_contender.py`) as `ours_recorded.py` and add
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
