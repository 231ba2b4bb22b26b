"""Agents: instructions, a model and tools of their own, that hand turns to each other."""
