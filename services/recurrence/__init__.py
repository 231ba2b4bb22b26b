"""Recurrence rules and the times at which they fire."""
