"""Code of others that may be asynchronous or not."""

import inspect
from collections.abc import Awaitable
from typing import TypeVar, cast

Value = TypeVar("Value")


async def settled(value: Awaitable[Value] | Value) -> Value:
    """Return what a function gave that may have been asynchronous."""
    if inspect.isawaitable(value):
        return cast("Value", await value)
    return value
