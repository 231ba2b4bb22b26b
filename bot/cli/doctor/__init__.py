"""Examines what the bot depends on: each finding is good, or names the next step."""
