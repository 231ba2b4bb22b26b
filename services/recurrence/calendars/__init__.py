"""Calendars beyond the week: workdays of a region, and dates of the Chinese lunar calendar."""
