"""The tools offered to a model, their names and switches."""
