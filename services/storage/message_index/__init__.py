"""The full-text index over messages, for SQLite and PostgreSQL."""
