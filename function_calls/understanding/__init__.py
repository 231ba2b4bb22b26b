"""Understand requests without a language model: a small trained network per language, and their words as data."""

from function_calls.understanding.interpreter import OfflineInterpreter

__all__ = ["OfflineInterpreter"]
