"""From a function, class or method to a declared tool: parameters, docstrings, options and their checks."""
