"""Measures how well the bot reads times and intents, summarises, and drives a language model: `bubbles eval`."""
