"""The stored messages of every chat."""
