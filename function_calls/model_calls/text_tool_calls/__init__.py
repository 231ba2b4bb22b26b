"""Calls that a model prints as text instead of making them, and what of a text is said in a chat."""
