"""`bubbles run` and `bubbles chat`: show the banner and prompt at once, then start the bot."""

from collections.abc import Callable
from pathlib import Path

import click

from bot.cli.banner import print_banner
from bot.config.sources import load_settings
from bot.platforms import console
from bot.platforms.kit.parts import PlatformParts
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError, StorageBusy, StorageFull
from services.kernel.startup_imports import import_without_gc


def serve(config: Path | None, *, watches_plugins: bool = False) -> int:
    """Serve the platforms of the settings until they end or a signal comes; return the exit code."""

    def served() -> None:
        settings = load_settings(config)
        print_banner(settings)
        with import_without_gc():
            from bot.cli.running import run_bot

        run_bot(settings, SystemClock(), linger_seconds=0.0, watches_plugins=watches_plugins)

    return _exit_code(served)


def develop(config: Path | None) -> int:
    """Serve like `serve`, and exchange plugins whenever their files change."""
    return serve(config, watches_plugins=True)


def talk(config: Path | None, *, person: str | None, linger_seconds: float) -> int:
    """Serve the console alone, which invites to type while the bot starts; stay `linger_seconds` after its end."""

    def talked() -> None:
        settings, clock = load_settings(config).with_console(person), SystemClock()
        terminal = console.create(PlatformParts(settings=settings, clock=clock))
        terminal.invite()
        with import_without_gc():
            from bot.cli.running import run_bot

        run_bot(settings, clock, platforms=[terminal], linger_seconds=linger_seconds, watches_plugins=False)

    return _exit_code(talked)


def _exit_code(act: Callable[[], None]) -> int:
    """Do it, and say on standard error what was wrong."""
    try:
        act()
    except ConfigError as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    except StorageBusy as error:
        click.echo(
            f"bubbles: {error}. Stop that process, or give this one its own data: BUBBLES_BOT__DATA_DIR=other", err=True
        )
        return 1
    except StorageFull as error:
        click.echo(f"bubbles: {error}", err=True)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0
