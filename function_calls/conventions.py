"""The conventions by which a bot reads times, for tools that read them."""

from function_calls.context import CallContext
from services.time_expressions import TimeReader


def time_reader(ctx: CallContext) -> TimeReader:
    """The reader that the bot was wired with; the usual conventions where there is none."""
    return ctx.services.get(TimeReader) if TimeReader in ctx.services.classes() else TimeReader()
