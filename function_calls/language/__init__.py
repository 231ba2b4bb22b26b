"""Provide the bot's texts, dates and rules in each language."""
