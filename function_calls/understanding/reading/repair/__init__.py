"""Correct the tags of a message by what must be there."""
