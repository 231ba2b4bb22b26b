"""Errors of tool servers."""

from services.kernel.errors import ToolFailed


class ServerUnavailable(ToolFailed):
    """A tool server cannot be used: out of reach, of the wrong kind, or it wants to lead us elsewhere."""
