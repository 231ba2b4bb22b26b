"""Reminders, history, search, summaries and their storage; independent of networks and tools."""
