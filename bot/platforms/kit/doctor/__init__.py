"""Findings and HTTP probes that the doctors of the platforms use."""
