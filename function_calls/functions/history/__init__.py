"""The functions that look into what was said."""
