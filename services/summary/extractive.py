"""Summarise without a model, by quoting the messages that cover most of the conversation."""

import asyncio
from collections.abc import Sequence

from services.kernel.chat import ChatAddress, ChatMessage
from services.summary.content import is_chatter
from services.summary.coverage import choose
from services.summary.model import Bullet, SummaryMethod
from services.summary.ports import ProgressListener
from services.summary.quoting import quote
from services.summary.terms import terms


class ExtractiveSummarizer:
    """Quotes real messages; each bullet is one message, shortened when it is long."""

    @property
    def method(self) -> SummaryMethod:
        """Say that bullets are quotations."""
        return SummaryMethod.EXTRACTIVE

    def forget_message(self, chat: ChatAddress, message_id: str) -> None:
        """Do nothing: nothing is cached."""

    def forget_person(self, person_id: str) -> None:
        """Do nothing: nothing is cached."""

    async def bullets(
        self,
        messages: Sequence[ChatMessage],
        *,
        language: str,
        count: int,
        on_progress: ProgressListener | None = None,
    ) -> tuple[Bullet, ...]:
        """Return at most `count` quotations in the order of the conversation; quoting needs no language and no time."""
        del language, on_progress
        return await asyncio.to_thread(quote_best, messages, count)


def quote_best(messages: Sequence[ChatMessage], count: int) -> tuple[Bullet, ...]:
    """Choose and quote at most `count` content messages; thanks and greetings only where there is nothing else."""
    candidates = [message for message in messages if not is_chatter(message.text)] or list(messages)
    texts = [message.text for message in candidates]
    chosen = choose(texts, count) or list(range(min(count, len(candidates))))
    about = frozenset(term for position in chosen for term in terms(texts[position]))
    return tuple(
        Bullet(
            text=quote(candidates[position].text, about=about),
            message_ids=(candidates[position].id,),
            sender=candidates[position].sender.name,
        )
        for position in chosen
    )
