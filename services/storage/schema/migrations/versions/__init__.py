"""One module per schema version; its revision is the version number."""
