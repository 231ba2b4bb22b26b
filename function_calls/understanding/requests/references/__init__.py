"""Find the reminders that a request is about."""
