"""Score the summarizer without a model by ROUGE and by its citations, in comparison with two baselines."""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from benchmarks.evaluation.rouge import Rouge, compute_rouge
from benchmarks.evaluation.summary_cases import SummaryCase
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.summary.content import content_messages
from services.summary.evidence import Evidence
from services.summary.extractive import quote_best
from services.summary.model import Bullet

MAX_QUOTED = 3
_CHAT = ChatAddress(platform="evaluation", chat_id="chat")
_START = datetime(2026, 1, 1, tzinfo=UTC)

Choose = Callable[[SummaryCase, int], Sequence[int]]


class SummaryScore(Struct, frozen=True, kw_only=True):
    """The means over the conversations of one corpus (ROUGE from 0 to 1), and the time of one summary."""

    corpus: str
    method: str
    count: int
    rouge: Rouge
    mean_ms: float
    p95_ms: float


class CitationScore(Struct, frozen=True, kw_only=True):
    """The number of bullets, and of those that cite only messages that support them."""

    corpus: str
    bullets: int
    valid: int


def score(cases: Sequence[SummaryCase], count: int = MAX_QUOTED) -> list[SummaryScore]:
    """Return the scores of all methods on each corpus, with `count` quoted messages."""
    methods: dict[str, Choose] = {
        "ours": choose_as_service,
        "first messages": choose_first,
        "longest of each part": choose_longest,
    }
    return [
        _score_method(corpus, name, [case for case in cases if case.corpus == corpus], choose, count)
        for corpus in dict.fromkeys(case.corpus for case in cases)
        for name, choose in methods.items()
    ]


def score_citations(cases: Iterable[SummaryCase], count: int = MAX_QUOTED) -> list[CitationScore]:
    """Return the citation score of the summarizer on each corpus, with `count` quoted messages."""
    found: dict[str, list[bool]] = {}
    for case in cases:
        window = {message.id: message for message in _make_messages(case)}
        for bullet in _make_bullets(case, count):
            found.setdefault(case.corpus, []).append(_is_valid(bullet, window))
    return [CitationScore(corpus=corpus, bullets=len(each), valid=sum(each)) for corpus, each in found.items()]


def choose_as_service(case: SummaryCase, count: int) -> list[int]:
    """Return the positions of the messages that the service quotes."""
    return [int(bullet.message_ids[0]) for bullet in _make_bullets(case, count)]


def choose_first(case: SummaryCase, count: int) -> list[int]:
    """Return the positions of the first messages."""
    return list(range(min(count, len(case.messages))))


def choose_longest(case: SummaryCase, count: int) -> list[int]:
    """Return the position of the longest message in each of `count` equal parts."""
    size = len(case.messages) / count
    parts = (range(int(n * size), max(int(n * size) + 1, int((n + 1) * size))) for n in range(count))
    return [max(part, key=lambda place: len(case.messages[place][1])) for part in parts]


def _score_method(corpus: str, method: str, cases: Sequence[SummaryCase], choose: Choose, count: int) -> SummaryScore:
    durations, scores = [], []
    for case in cases:
        start = time.perf_counter()
        chosen = choose(case, count)
        durations.append((time.perf_counter() - start) * 1000)
        scores.append(compute_rouge(_format_messages(case, chosen), case.references, case.language))
    durations.sort()
    size = max(1, len(cases))
    return SummaryScore(
        corpus=corpus,
        method=method,
        count=len(cases),
        rouge=Rouge(
            one=sum(each.one for each in scores) / size,
            two=sum(each.two for each in scores) / size,
            longest=sum(each.longest for each in scores) / size,
        ),
        mean_ms=sum(durations) / size,
        p95_ms=durations[int(len(durations) * 0.95)] if durations else 0.0,
    )


def _make_bullets(case: SummaryCase, count: int) -> tuple[Bullet, ...]:
    return quote_best(content_messages(_make_messages(case)), count)


def _make_messages(case: SummaryCase) -> list[ChatMessage]:
    return [
        ChatMessage(
            id=str(place),
            address=_CHAT,
            sender=Person(id=who, name=who),
            text=text,
            sent_at=_START + timedelta(seconds=place),
        )
        for place, (who, text) in enumerate(case.messages)
    ]


def _is_valid(bullet: Bullet, window: dict[str, ChatMessage]) -> bool:
    cited = [window[each] for each in bullet.message_ids if each in window]
    if len(cited) < max(1, len(bullet.message_ids)):
        return False
    evidence = Evidence(texts=tuple(each.text for each in cited), names=tuple(each.sender.name for each in cited))
    return evidence.supports(bullet.text, quote=bullet.text)


def _format_messages(case: SummaryCase, chosen: Sequence[int]) -> str:
    separator = "" if case.language == "zh" else " "
    return separator.join(f"{case.messages[place][0]}: {case.messages[place][1]}" for place in sorted(set(chosen)))
