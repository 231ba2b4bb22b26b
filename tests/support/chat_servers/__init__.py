"""Loopback servers with the public protocols of chat platforms, for their real client libraries."""
