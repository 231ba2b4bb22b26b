"""Adapter of the offline summarizer for the ROUGE scorer over QMSum and VCSum.

The messages are `{"who", "text"}`. As in the service, thanks and greetings are left out before messages are chosen.
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.summary.content import content_messages
from services.summary.extractive import quote_best

_CHAT = ChatAddress(platform="benchmark", chat_id="meeting")
_START = datetime(2026, 1, 1, tzinfo=UTC)


def summarize(messages: list[dict[str, str]], _language: str, count: int) -> list[int]:
    """Return the positions of the `count` messages that a summary quotes."""
    chat = [
        ChatMessage(
            id=str(position),
            address=_CHAT,
            sender=Person(id=message["who"], name=message["who"]),
            text=message["text"],
            sent_at=_START + timedelta(seconds=position),
        )
        for position, message in enumerate(messages)
    ]
    return [int(bullet.message_ids[0]) for bullet in quote_best(content_messages(chat), count)]
