"""Generate reference pages from the code."""
