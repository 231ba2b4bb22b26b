"""Summarise with a language model, and keep only claims that the cited messages support."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from msgspec import Struct

from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress, ChatMessage
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import LanguageModel
from services.summary.evidence import check_claims, check_merges
from services.summary.extractive import choose, quote_best
from services.summary.model import Bullet, ProgressListener
from services.summary.requests import chunk_request, merge_request, parse_claims, split_into_chunks

_MAX_DIGESTS = 512


class _Digest(Struct, frozen=True, kw_only=True):
    """Bullets with their source messages and people."""

    bullets: tuple[Bullet, ...]
    messages: frozenset[tuple[str, str]]
    people: frozenset[str]


def digest_key(part: Sequence[ChatMessage], *, model: str, language: str, count: int) -> str:
    """Return the cache key of messages and a request."""
    hashed = hashlib.sha256(f"{model}\0{language}\0{count}".encode())
    for message in part:
        fields = (str(message.address), message.id, message.sender.id, message.sender.name, message.text)
        hashed.update("\0".join(fields).encode("utf-8", "surrogatepass") + b"\1")
    return hashed.hexdigest()


_PART_TOKENS = 3_000
_AT_ONCE = 4
_MERGED_AT_ONCE = 48


class ModelSummarizer:
    """Summarises the parts of a conversation (map), then their points (reduce).

    Checked points of a part are cached. A part with an unreadable answer is quoted instead. Points that cite messages
    outside of the part, or that the cited messages do not support, are dropped.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._digests: BoundedDict[str, _Digest] = BoundedDict(_MAX_DIGESTS)
        self._forget_count = 0

    def forget_message(self, chat: ChatAddress, message_id: str) -> None:
        """Drop the cached bullets of parts with a message that was edited or deleted."""
        self._forget(lambda digest: (chat.key, message_id) in digest.messages)

    def forget_person(self, person_id: str) -> None:
        """Drop the cached bullets of parts with messages of the person."""
        self._forget(lambda digest: person_id in digest.people)

    def _forget(self, is_outdated: Callable[[_Digest], bool]) -> None:
        self._forget_count += 1
        for key in [key for key, digest in self._digests.items() if is_outdated(digest)]:
            del self._digests[key]

    async def bullets(
        self,
        messages: Sequence[ChatMessage],
        *,
        language: str,
        count: int,
        on_progress: ProgressListener | None = None,
    ) -> tuple[Bullet, ...]:
        """Return at most `count` checked bullets in the order of the conversation.

        Raises:
            ModelUnavailable: the model gave no usable answer.
        """
        parts = await asyncio.to_thread(split_into_chunks, messages, max_tokens=_PART_TOKENS)
        points = await self._digest_all(parts, language, count, on_progress)
        while len(points) > count:
            points = await self._merge_groups(points, language, count)
        return tuple(points)

    async def _digest_all(
        self, parts: Sequence[tuple[ChatMessage, ...]], language: str, count: int, on_progress: ProgressListener | None
    ) -> list[Bullet]:
        at_once = asyncio.Semaphore(_AT_ONCE)
        done = 0

        async def digest(part: tuple[ChatMessage, ...]) -> tuple[Bullet, ...] | None:
            nonlocal done
            async with at_once:
                points = await self._digest(part, language, count)
            done += 1
            if on_progress is not None:
                await on_progress(done, len(parts))
            return points

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(digest(part)) for part in parts]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        digests = [task.result() for task in tasks]
        if all(points is None for points in digests):
            raise ModelUnavailable("malformed", "no part of the summary could be read")
        return [
            point
            for part, points in zip(parts, digests, strict=True)
            for point in (quote_best(part, 1) if points is None else points)
        ]

    async def _digest(self, part: tuple[ChatMessage, ...], language: str, count: int) -> tuple[Bullet, ...] | None:
        """Return the checked points of one part; None if the answer could not be read."""
        key = digest_key(part, model=self._model.name, language=language, count=count)
        cached = self._digests.get(key)
        if cached is not None:
            self._digests.move_to_end(key)
            return cached.bullets
        forget_count = self._forget_count
        completion = await self._model.complete(chunk_request(part, language=language, count=count))
        try:
            claimed = parse_claims(completion.text)
        except ModelUnavailable:
            return None
        points = check_claims(claimed[:count], part)
        if forget_count != self._forget_count:  # perhaps a message of this part, while the model read it
            return points
        self._digests[key] = _Digest(
            bullets=points,
            messages=frozenset((message.address.key, message.id) for message in part),
            people=frozenset(message.sender.id for message in part),
        )
        return points

    async def _merge_groups(self, points: list[Bullet], language: str, count: int) -> list[Bullet]:
        """Merge `points`, more than `count`, in groups if there are many; the result is always shorter."""
        groups = [points[at : at + _MERGED_AT_ONCE] for at in range(0, len(points), _MERGED_AT_ONCE)]
        merged = [await self._merge(group, language, count) if len(group) > count else group for group in groups]
        return [point for group in merged for point in group]

    async def _merge(self, points: list[Bullet], language: str, count: int) -> list[Bullet]:
        """Return at most `count` points of the model, or the best of `points` if its answer is unusable."""
        completion = await self._model.complete(merge_request(points, language=language, count=count))
        try:
            claimed = parse_claims(completion.text)
        except ModelUnavailable:
            claimed = []
        supported = check_merges(claimed[:count], points)
        return (
            list(supported) or [points[at] for at in choose([point.text for point in points], count)] or points[:count]
        )
