"""Save, search and forget facts that people asked to remember."""
