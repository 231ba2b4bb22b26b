"""The built-in functions by subject."""
