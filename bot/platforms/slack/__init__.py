"""Slack, over Socket Mode or signed requests."""
