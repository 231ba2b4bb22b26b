"""Words that are a time and nothing else."""

from datetime import datetime

from function_calls.understanding.blanks import has_words
from function_calls.understanding.time_words import TimeReader
from services.time_expressions import Reading


def whole_time(words: str, now: datetime, language: str, read: TimeReader) -> Reading | None:
    """What `words` say if they name one time and nothing else; None where they do not."""
    found = read(words, now, language=language)
    best = found[0].best if len(found) == 1 else None
    if best is None:
        return None
    beside = (letter for at, letter in enumerate(words) if not any(start <= at < end for start, end in best.spans))
    return None if has_words("".join(beside)) else best
