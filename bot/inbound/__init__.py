"""Handling of incoming messages: router, middlewares, turns, corrections and recovery."""
