"""Reminders: set, listed, deleted, and delivered when they fall due."""
