"""End a command with an error message and exit status."""

import click


def failed(told: object, code: int = 1) -> int:
    """Say on standard error what was wrong and return the exit code."""
    click.echo(f"bubbles: {in_words(told)}", err=True)
    return code


def in_words(told: object) -> str:
    """Return what was wrong, for somebody who does not know Python.

    The file and the system's reason, without a number.
    """
    if isinstance(told, OSError) and told.filename is not None and told.strerror is not None:
        return f"{told.filename}: {told.strerror}"
    return str(told)
