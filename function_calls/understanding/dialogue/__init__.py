"""The dialogue with each person: its state, whom a message is for, and what to do about it."""
