"""Read Python tools that are stored as source, without running it."""
