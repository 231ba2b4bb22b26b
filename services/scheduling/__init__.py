"""Wake other code at intervals, without persistent state."""
