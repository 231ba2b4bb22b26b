"""Search engines, and their HTTP requests and citations."""
