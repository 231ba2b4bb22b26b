"""Declare tools, validate their calls, check permission and dispatch."""
