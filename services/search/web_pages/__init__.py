"""Fetch web pages as text, without access to the bot's own network."""
