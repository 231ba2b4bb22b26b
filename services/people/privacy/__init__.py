"""Opting out, deletion, export and retention of people's data."""
