"""Declare the table of messages."""

import sqlalchemy as sa
from sqlmodel import Field

from services.storage.tables.base import StoredTable
from services.storage.tables.ddl import BIG


class MessageRow(StoredTable, table=True):
    """One message of a chat. (chat, message id) is unique: a message delivered twice is stored once."""

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
