"""Parse tokens into phrases, select those that are times, and merge them."""
