"""Shared parts of the platform adapters: text splitting, spans, rate limits and reconnection."""
