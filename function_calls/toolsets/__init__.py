"""Every source of tools is a `Toolset`: one protocol to list and call, and wrappers that combine, filter and ask."""
