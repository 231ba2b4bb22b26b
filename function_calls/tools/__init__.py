"""Declare tools, validate calls, check permissions, and run the tools."""
