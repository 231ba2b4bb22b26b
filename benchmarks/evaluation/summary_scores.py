"""ROUGE and citation validity of the summarizer that needs no model, beside two plain baselines."""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from benchmarks.evaluation.rouge import Rouge, rouge
from benchmarks.evaluation.summary_cases import SummaryCase
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.summary.content import content_messages
from services.summary.evidence import Evidence
from services.summary.extractive import quote_best
from services.summary.model import Bullet

QUOTED = 3
_CHAT = ChatAddress(platform="evaluation", chat_id="chat")
_START = datetime(2026, 1, 1, tzinfo=UTC)

Choose = Callable[[SummaryCase, int], Sequence[int]]


class SummaryScore(Struct, frozen=True, kw_only=True):
    """Means over the conversations of one corpus (ROUGE 0 to 1), and the time that one summary takes."""

    corpus: str
    method: str
    count: int
    rouge: Rouge
    mean_ms: float
    p95_ms: float


class CitationScore(Struct, frozen=True, kw_only=True):
    """Of all bullets, how many cite only messages of their conversation that say what the bullet says."""

    corpus: str
    bullets: int
    valid: int


def score(cases: Sequence[SummaryCase], count: int = QUOTED) -> list[SummaryScore]:
    """Compare ours with the baselines, `count` messages each, as "name: text"."""
    methods: dict[str, Choose] = {"ours": ours, "first messages": first, "longest of each part": longest_of_parts}
    return [
        _scored(corpus, name, [case for case in cases if case.corpus == corpus], choose, count)
        for corpus in dict.fromkeys(case.corpus for case in cases)
        for name, choose in methods.items()
    ]


def citations(cases: Iterable[SummaryCase], count: int = QUOTED) -> list[CitationScore]:
    """Check the bullets that people would see."""
    found: dict[str, list[bool]] = {}
    for case in cases:
        window = {message.id: message for message in _messages(case)}
        for bullet in _bullets(case, count):
            found.setdefault(case.corpus, []).append(_is_valid(bullet, window))
    return [CitationScore(corpus=corpus, bullets=len(each), valid=sum(each)) for corpus, each in found.items()]


def ours(case: SummaryCase, count: int) -> list[int]:
    """The positions of the messages that the service would quote."""
    return [int(bullet.message_ids[0]) for bullet in _bullets(case, count)]


def first(case: SummaryCase, count: int) -> list[int]:
    """The first messages."""
    return list(range(min(count, len(case.messages))))


def longest_of_parts(case: SummaryCase, count: int) -> list[int]:
    """The longest message of each of `count` equal parts."""
    size = len(case.messages) / count
    parts = (range(int(n * size), max(int(n * size) + 1, int((n + 1) * size))) for n in range(count))
    return [max(part, key=lambda place: len(case.messages[place][1])) for part in parts]


def _scored(corpus: str, method: str, cases: Sequence[SummaryCase], choose: Choose, count: int) -> SummaryScore:
    took, scores = [], []
    for case in cases:
        started = time.perf_counter()
        chosen = choose(case, count)
        took.append((time.perf_counter() - started) * 1000)
        scores.append(rouge(_text(case, chosen), case.references, case.language))
    took.sort()
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
        mean_ms=sum(took) / size,
        p95_ms=took[int(len(took) * 0.95)] if took else 0.0,
    )


def _bullets(case: SummaryCase, count: int) -> tuple[Bullet, ...]:
    return quote_best(content_messages(_messages(case)), count)


def _messages(case: SummaryCase) -> list[ChatMessage]:
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


def _text(case: SummaryCase, chosen: Sequence[int]) -> str:
    joint = "" if case.language == "zh" else " "
    return joint.join(f"{case.messages[place][0]}: {case.messages[place][1]}" for place in sorted(set(chosen)))
