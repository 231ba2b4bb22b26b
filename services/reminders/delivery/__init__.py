"""Deliver due occurrences: claim, send, retry and settle them."""
