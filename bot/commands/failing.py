"""How a command ends that could not do what it was asked."""

import click


def failed(told: object, code: int = 1) -> int:
    """Say on standard error what was wrong and return the exit code."""
    click.echo(f"bubbles: {told}", err=True)
    return code
