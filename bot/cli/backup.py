"""`bubbles backup` and `bubbles restore`: copy the whole database to one file and back."""

from pathlib import Path

import click

from bot.cli.errors import failed
from bot.config.sources import load_settings
from services.kernel.errors import ConfigError, StorageBusy


def back_up_to(config: Path | None, file: Path) -> int:
    """Copy the database into `file` and return the exit code; the bot may be running."""
    from services.storage.schema.backup import back_up

    try:
        made = back_up(load_settings(config).database_url, file)
    except FileExistsError:
        return failed(f"{file} exists already; nothing is overwritten")
    except (ConfigError, OSError) as error:
        return failed(error)
    click.echo(f"{made.file}: {made.size / 1000:.0f} kB, checked")
    return 0


def restore_from(config: Path | None, file: Path) -> int:
    """Put the database back as it is in `file` and return the exit code; the bot must be stopped."""
    from services.storage.schema.backup import restore

    try:
        made = restore(load_settings(config).database_url, file)
    except StorageBusy as error:
        return failed(f"{error}. Stop the bot first")
    except (ConfigError, OSError) as error:
        return failed(error)
    click.echo("restored" if made.earlier is None else f"restored; what was there before is kept as {made.earlier}")
    return 0
