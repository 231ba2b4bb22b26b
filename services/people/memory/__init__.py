"""Texts that people asked the bot to remember."""
