"""Search the chat's history."""
