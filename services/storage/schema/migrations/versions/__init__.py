"""One module a schema version; its revision is the number of the version."""
