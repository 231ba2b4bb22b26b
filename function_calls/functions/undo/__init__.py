"""Undo the last change of a person."""
