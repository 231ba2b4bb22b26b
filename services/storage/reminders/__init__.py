"""Reminders and their delivery ledger in SQL."""
