"""Implement the reminder functions: interpret requests, change reminders, and confirm changes."""
