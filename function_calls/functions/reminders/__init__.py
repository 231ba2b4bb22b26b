"""The functions about reminders: what a request means, what is changed, and how it is confirmed."""
