"""Stores in memory for the contract suites."""
