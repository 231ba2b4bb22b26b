"""Implement the built-in functions, by subject."""
