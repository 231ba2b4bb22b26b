"""Summarise chats: time windows, wording, offers of reminders, and digests."""
