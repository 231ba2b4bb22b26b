"""The application: chat platforms, settings, composition root and the `bubbles` command."""

__version__ = "0.1.0"
