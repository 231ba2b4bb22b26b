"""Chats that may be spoken of in other chats."""
