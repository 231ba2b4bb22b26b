"""Adapters for the scorer of public function-calling data.

    score_functions.py schema --adapter benchmarks/functions_adapter.py:schema

`validate` and `corners` are run in the same way.
"""

import json

from function_calls.tools.declaration.argument_validation import check_arguments, instantiate
from function_calls.tools.declaration.signature import analyse
from function_calls.tools.errors import ArgumentsInvalid


def schema(function):
    """Return the name, description and parameters of `function` as a tool."""
    found = analyse(function)
    return {"name": found.name, "description": found.description, "parameters": found.parameters_schema}


def validate(parameters, raw):
    """Return the arguments after the first validation and its repairs, as for the call of a model."""
    return check_arguments(parameters, raw).arguments


def corners(function, raw):
    """Call `function` after both validations without repair, as a program does; return its schema if `raw` is None."""
    if raw is None:
        return schema(function)
    found = analyse(function)
    arguments = json.loads(raw)
    errors = found.validator.validate(arguments)
    if errors:
        raise ArgumentsInvalid(found.name, errors)
    positional, named = found.bind(instantiate(found, arguments), {})
    return function(*positional, **named)
