"""Shared parts of all routes: context, errors, bodies and tokens."""
