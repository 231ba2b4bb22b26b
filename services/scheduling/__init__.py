"""Timers: they wake others and carry no state of their own."""
