"""Accounts, names, zones, memories and privacy of people."""
