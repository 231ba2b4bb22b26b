"""Python tools that are kept as source: what they offer is read from the text, which is never run here."""
