"""Search engines, one module each."""
