"""Chats of the web platform: membership, history, events and calls."""
