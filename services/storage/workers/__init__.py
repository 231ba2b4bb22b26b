"""Leases, claims and messages that several processes share through PostgreSQL."""
