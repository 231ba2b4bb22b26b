"""Checks of everything that the bot depends on; each problem names the next step."""
