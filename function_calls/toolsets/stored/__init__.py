"""Parse stored Python tools without running them."""
