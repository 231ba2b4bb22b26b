"""The first validation of a call: its schema, what may be repaired, and the errors that say what was expected."""
