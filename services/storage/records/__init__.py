"""Turns, calls and usage in SQL."""
