"""The history of chats in SQL."""
