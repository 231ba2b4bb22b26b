"""Fetch web pages as readable text, without access to the bot's own network."""
