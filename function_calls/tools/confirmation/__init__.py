"""Store calls until they are confirmed, and changes until they are undone."""
