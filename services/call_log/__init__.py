"""The record of every turn and every call: what was understood, done, said and spent."""
