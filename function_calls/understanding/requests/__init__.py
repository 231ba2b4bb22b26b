"""Requests: what the reading of a message becomes, as calls or as one question."""
