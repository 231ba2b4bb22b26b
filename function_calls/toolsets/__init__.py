"""Toolsets of external sources, and wrappers that combine, filter, rename and confirm."""
