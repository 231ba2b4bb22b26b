"""Split a message into its requests, and these into their reminders."""
