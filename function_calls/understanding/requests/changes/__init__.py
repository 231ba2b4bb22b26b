"""Make calls of requests to change existing reminders."""
