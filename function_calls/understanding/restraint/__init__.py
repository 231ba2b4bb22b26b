"""Hold what a model chose against the person's own words: confirm it, mend it, or hold it back."""

from function_calls.understanding.restraint.second_reader import SecondReader

__all__ = ["SecondReader"]
