"""Logs, metrics, redaction and the event loop watchdog."""
