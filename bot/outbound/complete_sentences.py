"""Cut an unfinished answer after its last complete sentence."""

import re
from typing import Final

_END: Final = re.compile(r"[.!?…][\"')\]]*(?=\s)|[。！？…][”’」』）]*|\n")


def complete_sentences(text: str) -> str:
    """`text` up to the end of its last whole sentence, in English or Chinese; nothing while there is none."""
    ends = [found.end() for found in _END.finditer(text)]
    return text[: ends[-1]].strip() if ends else ""
