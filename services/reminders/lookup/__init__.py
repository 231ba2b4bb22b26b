"""Find the reminders that words, numbers, times or messages refer to."""
