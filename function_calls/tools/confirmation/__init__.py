"""Calls that wait for a yes, and changes that can be undone."""
