"""Resolve meanings to instants, intervals and recurrences on the calendar."""
