"""Who is the same person on several platforms."""
