"""IRC channels."""
