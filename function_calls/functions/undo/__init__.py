"""Take back the last change of a person."""
