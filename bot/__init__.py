"""The edge of Bubbles: chat platforms, settings, wiring and the `bubbles` command."""

__version__ = "0.1.0"
