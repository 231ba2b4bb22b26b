"""Import and export reminders as JSON and iCalendar files."""
