"""Routes of tools, tool sources and stored tools."""
