"""Fixtures of the test kit."""

from bot.testing.fixtures import call_tool, fake_clock, talk  # noqa: F401 - pytest finds them by name
