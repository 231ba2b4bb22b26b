"""Hold calls until they are confirmed, and log changes so that they can be undone."""
