"""Claim, send, retry and settle due occurrences."""
