"""Tools and their calls: declaration, validation, permission and dispatch."""
