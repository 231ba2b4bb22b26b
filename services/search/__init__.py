"""Search the web, with sources that the engine returned and the answer cites."""
