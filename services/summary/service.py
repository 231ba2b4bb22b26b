"""Summarise a chat's stored messages."""

import asyncio
import math
from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING

from services.kernel.chat import ChatAddress, ChatMessage
from services.kernel.errors import ModelUnavailable
from services.summary.model import (
    Bullet,
    MessageSource,
    ProgressListener,
    ReadTime,
    Summary,
    SummaryMethod,
    SummaryWindow,
)

if TYPE_CHECKING:
    from services.summary.model_summarizer import ModelSummarizer

_MIN_BULLETS = 3
_MAX_BULLETS = 8
_MAX_MESSAGES = 5_000
"""The limit of messages in any window."""


class SummaryService:
    """Summarises a window of history, with quotations if there is no model or it fails.

    Word lists and patterns are loaded with the first summary.
    """

    def __init__(
        self,
        source: MessageSource,
        *,
        summarizer: "ModelSummarizer | None" = None,
        read_time: ReadTime | None = None,
    ) -> None:
        self._source = source
        self._with_model = summarizer
        self._read_time = read_time

    async def summarize(
        self,
        chat: ChatAddress,
        *,
        language: str,
        window: SummaryWindow | None = None,
        zone: tzinfo = UTC,
        on_progress: ProgressListener | None = None,
    ) -> Summary:
        """Summarise `window` of `chat` (the last 200 messages by default); an empty window gives an empty summary.

        `zone` is for dates in messages. `on_progress` receives the progress of summaries with several parts.
        """
        from services.summary import content, findings

        asked = window or SummaryWindow()
        read, is_cut = await self._read(chat, asked)
        answered = content.find_answered(read)
        narrowed = await asyncio.to_thread(content.narrow, read, asked)
        messages = await asyncio.to_thread(content.content_messages, narrowed, answered)
        messages = messages if asked.count is None else messages[-asked.count :]
        writers = content.people(message for message in narrowed if not message.sender.is_bot)
        if not messages:
            method = SummaryMethod.MODEL if self._with_model else SummaryMethod.EXTRACTIVE
            return Summary(method=method, writers=writers, is_cut=is_cut)
        bullets, method, fallback_reason = await self._bullets(messages, language, on_progress)
        return Summary(
            method=method,
            bullets=bullets,
            findings=await asyncio.to_thread(
                findings.find, messages, language=language, read_time=self._read_time, zone=zone
            ),
            people=content.people(messages),
            message_count=len(messages),
            writers=writers,
            first_at=messages[0].sent_at,
            last_at=messages[-1].sent_at,
            is_cut=is_cut,
            fallback_reason=fallback_reason,
        )

    def forget_message(self, chat: ChatAddress, message_id: str) -> None:
        """Drop the cached bullets of a message that was edited or deleted."""
        if self._with_model is not None:
            self._with_model.forget_message(chat, message_id)

    def forget_person(self, person_id: str) -> None:
        """Drop the cached bullets of the person's messages, in every chat."""
        if self._with_model is not None:
            self._with_model.forget_person(person_id)

    async def _read(self, chat: ChatAddress, window: SummaryWindow) -> tuple[Sequence[ChatMessage], bool]:
        limit = min(window.limit, _MAX_MESSAGES)
        if window.since is None:
            return await self._source.recent(chat, limit), False
        messages = await self._source.since(chat, window.since)
        return messages[-limit:], len(messages) > limit or len(messages) >= _MAX_MESSAGES

    async def _bullets(
        self, messages: Sequence[ChatMessage], language: str, on_progress: ProgressListener | None
    ) -> tuple[tuple[Bullet, ...], SummaryMethod, str | None]:
        from services.summary.extractive import quote_best

        count, reason = bullet_count(len(messages)), None
        if self._with_model is not None:
            try:
                bullets = await self._with_model.bullets(
                    messages, language=language, count=count, on_progress=on_progress
                )
            except ModelUnavailable as error:
                reason = error.reason
            else:
                if bullets:
                    return bullets, SummaryMethod.MODEL, None
                reason = "unsupported"
        return await asyncio.to_thread(quote_best, messages, count), SummaryMethod.EXTRACTIVE, reason


def bullet_count(message_count: int) -> int:
    """Return the number of bullets for a window: 3 for a short conversation, 8 for a long day."""
    return max(_MIN_BULLETS, min(_MAX_BULLETS, round(math.sqrt(message_count))))
