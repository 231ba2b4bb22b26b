"""Offer tools to a model, and validate the calls that it makes."""
