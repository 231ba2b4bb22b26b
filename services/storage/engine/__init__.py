"""Connections to SQLite and PostgreSQL, below every repository."""
