"""Cache answers for a short time, so that the same question is paid for once."""

from datetime import datetime, timedelta

from msgspec.structs import replace

from services.kernel.bounded import BoundedDict
from services.kernel.clock import Clock
from services.search.model import SearchAnswer

_MAX_ANSWERS = 128


class AnswerCache:
    """A bounded cache by question and language; the least recently used entry is dropped first."""

    def __init__(self, clock: Clock, ttl: timedelta) -> None:
        self._clock = clock
        self._ttl = ttl
        self._answers: BoundedDict[tuple[str, str], tuple[datetime, SearchAnswer]] = BoundedDict(_MAX_ANSWERS)

    def get(self, query: str, language: str) -> SearchAnswer | None:
        """Return the remembered answer while it is fresh; nobody has been shown it this time."""
        key = _key(query, language)
        entry = self._answers.get(key)
        if entry is None or self._clock.now() - entry[0] >= self._ttl:
            self._answers.pop(key, None)
            return None
        self._answers.move_to_end(key)
        return entry[1]

    def put(self, query: str, language: str, answer: SearchAnswer) -> None:
        """Cache `answer` unless it is empty."""
        if answer.is_empty:
            return
        self._answers[_key(query, language)] = (self._clock.now(), replace(answer, is_already_answered=False))


def _key(query: str, language: str) -> tuple[str, str]:
    return " ".join(query.split()).casefold(), language
