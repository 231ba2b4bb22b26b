"""Logs, metrics and the watchdog."""
