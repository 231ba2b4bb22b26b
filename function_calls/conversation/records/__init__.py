"""Record, explain and replay turns."""
