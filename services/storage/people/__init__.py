"""Memories, privacy choices and small state of people in SQL."""
