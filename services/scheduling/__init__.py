"""Timers that wake other code and hold no state."""
