"""Reminders in files: JSON that keeps everything, and iCalendar that every calendar reads."""
