"""Understand requests without a language model: sentence templates per language, as data."""

from function_calls.understanding.interpreter import OfflineInterpreter

__all__ = ["OfflineInterpreter"]
