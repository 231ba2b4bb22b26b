"""Fixtures of tests of pages."""

from bot.testing.fixtures import call_tool, fake_clock, talk  # noqa: F401 - pytest finds them by name
