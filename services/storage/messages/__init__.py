"""The message history of chats in SQL."""
