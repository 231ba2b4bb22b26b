"""Authentication, permissions and rate limits of the HTTP API."""
