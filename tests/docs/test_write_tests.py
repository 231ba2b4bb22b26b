"""The test file on the page about writing tests."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "write-tests.md").read_text(encoding="utf-8")
_, *BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

# What pytest finds in this module is what stands on the page; the fixtures of its first block are in conftest.py.
exec(compile("\n".join(BLOCKS), "write-tests.md", "exec"), globals())


def test_every_block_of_the_page_brings_a_test():
    assert all("def test_" in block for block in BLOCKS)
    assert len(BLOCKS) == 5
