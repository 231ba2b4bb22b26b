"""Find decisions, open questions, dates and links in messages by the rules of `lexicons/`."""

import re
from collections.abc import Sequence
from datetime import UTC, tzinfo

from services.kernel.chat import ChatMessage
from services.summary.content import is_chatter
from services.summary.extractive import quote
from services.summary.lexicon import LINK, find_links, lexicon, terms
from services.summary.model import DateMention, Finding, Findings, LinkMention, ReadTime

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_ANSWERED_WITHIN = 10
_SHORT_ANSWER_WITHIN = 3
_MAX_FOUND = 10
_READ_LENGTH = 2_000
"""The number of characters of a message that rules read, which excludes pasted files."""


def find(
    messages: Sequence[ChatMessage], *, language: str, read_time: ReadTime | None = None, zone: tzinfo = UTC
) -> Findings:
    """Find the latest ten decisions, questions, dates and links in content messages.

    `read_time` resolves dates as of the time of the message in `zone`.
    """
    return Findings(
        decisions=_decisions(messages)[-_MAX_FOUND:],
        open_questions=_open_questions(messages)[-_MAX_FOUND:],
        dates=tuple(
            DateMention(
                phrase=phrase,
                context=quote(sentence),
                message_id=message.id,
                sender=message.sender.name,
                at=None if read_time is None else read_time(phrase, message.sent_at.astimezone(zone), language),
            )
            for phrase, sentence, message in _date_phrases(messages)[-_MAX_FOUND:]
        ),
        links=_links(messages)[-_MAX_FOUND:],
    )


def _sentences(message: ChatMessage) -> list[str]:
    text = LINK.sub(" ", message.text[:_READ_LENGTH])
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


def _decisions(messages: Sequence[ChatMessage]) -> tuple[Finding, ...]:
    found = []
    for message in messages:
        decided = next((sentence for sentence in _sentences(message) if _is_decision(sentence)), None)
        if decided is not None:
            found.append(_finding(message, decided))
    return tuple(found)


def _is_decision(sentence: str) -> bool:
    return lexicon().decision.search(sentence) is not None and lexicon().decision_denied.search(sentence) is None


def _open_questions(messages: Sequence[ChatMessage]) -> tuple[Finding, ...]:
    answered = {message.reply_to for message in messages if message.reply_to is not None}
    found = []
    for position, message in enumerate(messages):
        asked = next((sentence for sentence in reversed(_sentences(message)) if _is_question(sentence)), None)
        if asked is None or message.id in answered or _is_answered(asked, message, messages, position):
            continue
        found.append(_finding(message, asked))
    return tuple(found)


def _is_question(sentence: str) -> bool:
    return lexicon().question.search(sentence) is not None and bool(terms(sentence)) and not is_chatter(sentence)


def _is_answered(asked: str, question: ChatMessage, messages: Sequence[ChatMessage], position: int) -> bool:
    """Return whether another person soon wrote something like an answer."""
    asked_terms = set(terms(asked))
    wants_quantity = lexicon().quantity_question.search(asked) is not None
    following = messages[position + 1 : position + 1 + _ANSWERED_WITHIN]
    for distance, message in enumerate(following):
        if message.sender.id == question.sender.id or lexicon().question.search(message.text[:_READ_LENGTH]):
            continue
        if not asked_terms.isdisjoint(terms(message.text[:_READ_LENGTH])):
            return True
        if distance < _SHORT_ANSWER_WITHIN and _is_short_answer(message.text, wants_quantity=wants_quantity):
            return True
    return False


def _is_short_answer(text: str, *, wants_quantity: bool) -> bool:
    rule = lexicon().quantity_answer if wants_quantity else lexicon().answer
    return rule.search(text[:_READ_LENGTH].strip()) is not None


def _date_phrases(messages: Sequence[ChatMessage]) -> list[tuple[str, str, ChatMessage]]:
    return [
        (match.group().strip(), sentence, message)
        for message in messages
        for sentence in _sentences(message)
        for match in lexicon().date.finditer(sentence)
    ]


def _links(messages: Sequence[ChatMessage]) -> tuple[LinkMention, ...]:
    """Return the distinct links in the order of their first mention."""
    found: dict[str, LinkMention] = {}
    for message in messages:
        for url in find_links(message.text):
            found.setdefault(url, LinkMention(url=url, message_id=message.id, sender=message.sender.name))
    return tuple(found.values())


def _finding(message: ChatMessage, sentence: str) -> Finding:
    return Finding(text=quote(sentence), message_id=message.id, sender=message.sender.name)
