"""Adapters for the scorer of public function-calling data: schema, validate, corners.

Run: score_functions.py schema --adapter benchmarks/functions_adapter.py:schema (and validate, corners).
"""

import json

from function_calls.tools.declaration.argument_validation import check_arguments, instantiate
from function_calls.tools.declaration.signature import analyse
from function_calls.tools.errors import ArgumentsInvalid


def schema(function):
    """The tool that the published library calls {"name", "description", "parameters"}."""
    found = analyse(function)
    return {"name": found.name, "description": found.description, "parameters": found.parameters_schema}


def validate(parameters, raw):
    """First validation with repair, as a model's call is checked."""
    return check_arguments(parameters, raw).arguments


def corners(function, raw):
    """Both validations without repair, as a call from a program is checked; then the call itself."""
    if raw is None:
        return schema(function)
    found = analyse(function)
    arguments = json.loads(raw)
    errors = found.validator.validate(arguments)
    if errors:
        raise ArgumentsInvalid(found.name, errors)
    positional, named = found.bind(instantiate(found, arguments), {})
    return function(*positional, **named)
