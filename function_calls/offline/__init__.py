"""Understand requests without a language model: sentence templates per language, as data."""

from function_calls.offline.interpreter import OfflineInterpreter

__all__ = ["OfflineInterpreter"]
