"""Export the data stored about a person as a JSON file."""

import json

from services.kernel.chat import ChatMessage, SentFile
from services.people.memory import Memory
from services.people.privacy import PersonData

_NAME = "my-data.json"


def data_file(data: PersonData) -> SentFile:
    """Return a file with all of `data` as JSON; times are ISO 8601 in UTC."""
    exported = {
        "is_opted_out": data.is_opted_out,
        "message_count": data.message_count,
        "record_count": data.record_count,
        "messages": [_message(message) for message in data.messages],
        "memories": [_memory(memory) for memory in data.memories],
    }
    text = json.dumps(exported, ensure_ascii=False, indent=1)
    return SentFile(name=_NAME, media_type="application/json", content=text.encode("utf-8", "replace"))


def _message(message: ChatMessage) -> dict[str, object]:
    return {
        "id": message.id,
        "chat": str(message.address),
        "sent_at": message.sent_at.isoformat(),
        "text": message.text,
        "reply_to": message.reply_to,
        "mentions": [person.name for person in message.mentions],
        "attachments": [
            {"kind": attachment.kind, "description": attachment.description} for attachment in message.attachments
        ],
    }


def _memory(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "chat": str(memory.address),
        "created_at": memory.created_at.isoformat(),
        "text": memory.text,
        "is_shared": memory.is_shared,
    }
