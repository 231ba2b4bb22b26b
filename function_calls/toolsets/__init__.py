"""Provide every source of tools as a `Toolset`, with wrappers that combine, filter and ask."""
