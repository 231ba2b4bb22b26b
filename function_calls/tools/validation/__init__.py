"""Validate arguments against a JSON Schema, repair them, and word the errors."""
