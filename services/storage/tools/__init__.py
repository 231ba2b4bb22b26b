"""Python tools stored by people, with their versions."""
