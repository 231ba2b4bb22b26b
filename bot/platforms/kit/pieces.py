"""Split a long text where a reader would pause, and send the pieces in order."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from bot.platforms.kit.markdown import INLINE, code_blocks, mention_pattern
from services.kernel.chat import Person
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

Measure = Callable[[str], int]

# Where to cut, the best places first; each matches what ends the piece.
_PAUSES: Final = tuple(
    re.compile(pattern)
    for pattern in (r"\n\s*\n", r"\n", r"[.!?…][\"')\]]*(?=\s)|[。！？…][”’」』）]*", r"[,;:](?=\s)|[，；：、]", r"\s")
)

_MAX_WAIT_SECONDS: Final = 60.0
_ATTEMPTS: Final = 3

Sending = Callable[[], Awaitable[str | None]]


def pieces(text: str, limit: int, *, measure: Measure = len, people: Sequence[Person] = ()) -> list[str]:
    """Split `text` into pieces that `measure` to at most `limit`; 0 is no limit.

    Pieces end with a paragraph, a line, a sentence, a clause or a word, in this order of preference. A code block stays
    whole; one that is longer than a piece is cut at line ends, with its fences repeated. `people` are those whose
    `@name` is not to be broken. Nothing but white space at the cuts is lost.
    """
    rest = text.strip()
    if limit <= 0 or measure(rest) <= limit:
        return [rest] if rest else []
    done: list[str] = []
    while rest:
        piece, rest = first_piece(rest, limit, measure=measure, people=people)
        done.append(piece)
    return done


def first_piece(text: str, limit: int, *, measure: Measure = len, people: Sequence[Person] = ()) -> tuple[str, str]:
    """Return the first piece of `text`, cut as `pieces` does (`limit` is 1 or more), and the rest."""
    text = text.rstrip()
    if measure(text) <= limit:
        return text, ""
    block = next(code_blocks(text), None)
    if block is not None and block[0] == 0 and measure(text[: block[1]].rstrip()) > limit:
        return _split_code_block(text, block[1], limit, measure)
    maximum = _longest_fit(text, limit, measure)
    cut = _find_cut(text, maximum, people)
    return text[:cut].rstrip(), text[cut:].lstrip()


def _split_code_block(text: str, end: int, limit: int, measure: Measure) -> tuple[str, str]:
    """Split the code block at the start of `text` at a line end, and repeat its fence in the rest."""
    head, *lines = text[:end].rstrip().split("\n")
    code, after = lines[:-1], text[end:]
    count = 1
    while count < len(code) and measure("\n".join([head, *code[: count + 1], "```"])) <= limit:
        count += 1
    first, rest = "\n".join([head, *code[:count], "```"]), code[count:]
    if measure(first) > limit:  # one line of code that no piece can hold
        room = max(1, _longest_fit(code[0], limit - measure(f"{head}\n\n```"), measure))
        first, rest = f"{head}\n{code[0][:room]}\n```", [code[0][room:], *code[1:]]
    return first, "\n".join([head, *rest, "```\n"]) + after if rest else after.lstrip("\n")


def _longest_fit(text: str, limit: int, measure: Measure) -> int:
    """Return how many characters of `text` fit, one at least."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if measure(text[:middle]) <= limit else (low, middle - 1)
    return low


def _find_cut(text: str, maximum: int, people: Sequence[Person]) -> int:
    """Return where to cut `text`, at `maximum` or before it."""
    unbreakable = list(_unbreakable_spans(text, maximum, people))
    for pause in _PAUSES:
        found = (each.end() for each in pause.finditer(text, 0, maximum))
        ends = [place for place in found if not any(begin < place < end for begin, end in unbreakable)]
        if ends and ends[-1] >= maximum // 2:
            return ends[-1]
    for begin, end in unbreakable:
        if begin < maximum < end and begin > 0:
            return begin
    from wcwidth import grapheme_boundary_before  # 2 MB, which only long words need

    return grapheme_boundary_before(text, maximum + 1) or maximum


def _unbreakable_spans(text: str, maximum: int, people: Sequence[Person]) -> Iterator[tuple[int, int]]:
    """Yield the spans before `maximum` to keep whole; one that would not fit into the next piece either is cut."""
    mentions = mention_pattern(people)
    patterns = (INLINE,) if mentions is None else (INLINE, mentions)
    found = (each.span() for pattern in patterns for each in pattern.finditer(text, 0, 2 * maximum))
    yield from takewhile(lambda span: span[0] < maximum, code_blocks(text))
    yield from (span for span in found if span[0] < maximum)


async def send_in_order(sendings: Iterable[Sending], clock: Clock) -> str | None:
    """Run all `sendings` in order, and return the result of the first: the id of the message.

    Pauses that the platform asks for after the first piece are respected here.

    Raises:
        DeliveryFailed: the first piece failed, or a later one permanently; then the message is partly sent and
            `is_unknown` is set.
    """
    first: str | None = None
    for number, sending in enumerate(sendings):
        if number == 0:
            first = await sending()
        else:
            await _send_with_retries(sending, clock)
    return first


async def _send_with_retries(sending: Sending, clock: Clock) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            await sending()
        except DeliveryFailed as failure:
            wish = failure.retry_after
            if wish is None or wish > _MAX_WAIT_SECONDS or attempt == _ATTEMPTS:
                raise DeliveryFailed(f"only the beginning was sent: {failure}", is_unknown=True) from failure
            await clock.nap(wish)
        else:
            return
