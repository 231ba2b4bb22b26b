"""Create, list, delete and deliver reminders."""
