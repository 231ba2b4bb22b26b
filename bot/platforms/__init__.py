"""Chat platforms; none imports another."""
