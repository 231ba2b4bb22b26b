"""Loopback servers that speak the public wire of chat platforms, for the real client libraries to talk to."""
