"""Read the times of a request."""
