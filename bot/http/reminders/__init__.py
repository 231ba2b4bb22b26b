"""Routes of reminders and their calendar."""
