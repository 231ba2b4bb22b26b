"""Python tools stored in the database; each call runs in a sandboxed process."""
