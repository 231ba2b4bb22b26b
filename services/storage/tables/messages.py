"""Declare the tables of messages, turns and calls."""

import sqlalchemy as sa
from sqlmodel import Field

from services.storage.tables.base import BIG, Finite, Large, StoredTable, Whole


class MessageRow(StoredTable, table=True):
    """A message of a chat. (chat, message id) is unique, so that a repeated delivery is stored once."""

    __tablename__ = "message"
    __table_args__ = (
        sa.UniqueConstraint("chat_key", "message_id", name="ux_message_id"),
        sa.Index("ix_message_time", "chat_key", "sent_at"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    chat_key: str
    thread_id: str | None = None
    message_id: str
    sender_id: str
    sender_name: str
    sender_is_bot: bool = False
    sender_username: str = Field(default="", sa_column_kwargs={"server_default": ""})
    text: str
    sent_at: int = Field(sa_type=BIG)
    reply_to: str | None = None
    is_addressed: bool = False
    is_private: bool = False
    mentions: str = Field(default="", sa_column_kwargs={"server_default": ""})
    attachments: str = Field(default="", sa_column_kwargs={"server_default": ""})
    edited_at: int | None = Field(default=None, sa_type=BIG)
    deleted_at: int | None = Field(default=None, sa_type=BIG)


class TurnRow(StoredTable, table=True):
    """A processed message with its outcome and usage. `completions` is JSON."""

    __tablename__ = "turn"
    __table_args__ = (
        sa.Index("ix_turn_message", "message_id"),
        sa.Index("ix_turn_person", "chat_key", "person_id"),
        sa.Index("ix_turn_time", "at"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    chat_key: str
    thread_id: str | None = None
    message_id: str
    person_id: str
    person_name: str
    person_is_admin: bool = False
    text: str
    at: Large = Field(sa_type=BIG)
    zone: str
    language: str
    route: str
    rounds: Whole
    outcome: str
    is_addressed: bool = False
    is_private: bool = False
    completions: str
    tokens: Large = Field(sa_type=BIG)
    cost: Finite
    reply: str
    fallback: str
    error: str
    duration_ms: Finite


class CallRow(StoredTable, table=True):
    """A call of a tool; `session_id` is the chat. Arguments, repairs, receipts and the spawned task are JSON."""

    __tablename__ = "tool_conversations"
    __table_args__ = (sa.Index("ix_call_message", "session_id", "message_id"), sa.Index("ix_call_time", "timestamp"))

    number: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    id: str = Field(unique=True)
    session_id: str
    thread_id: str | None = None
    message_id: str
    person_id: str
    user_message: str
    tool_name: str
    arguments: str
    result: str | None = None
    error: str | None = None
    status: str
    duration_ms: Finite
    timestamp: Large = Field(sa_type=BIG)
    route: str
    round: Whole
    repairs: str
    said: str
    ending: str
    receipts: str
    model: str
    prompt_tokens: Whole
    completion_tokens: Whole
    cached_tokens: Whole
    cost: Finite
    spawn_task: str | None = None
