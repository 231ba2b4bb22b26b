"""Declare a function, class or method as a tool: parameters, docstrings, options and their checks."""
