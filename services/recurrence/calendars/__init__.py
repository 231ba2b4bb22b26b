"""Workdays of a region and dates of the Chinese lunar calendar."""
