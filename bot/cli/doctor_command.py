"""`bubbles doctor`: check everything that the bot depends on and print the next steps."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import click

from bot.cli.doctor.examination import examine
from bot.config.settings import Settings
from bot.config.sources import load_settings, secrets_kept
from bot.config.terminal import printable
from bot.platforms.kit.doctor import Finding, good
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError


def examine_bot(config: Path | None) -> int:
    """Print every finding and return the exit code: 0 all is well, 1 something is not, 2 the settings are wrong."""
    try:
        settings = load_settings(config)
        secrets = secrets_kept(config)
    except ConfigError as error:
        _print_problem("settings", str(error), "correct that setting; `bubbles check` shows the others")
        return 2
    _print(_on_secrets(secrets))
    return asyncio.run(_report(settings))


async def _report(settings: Settings) -> int:
    problems = 0
    async for finding in examine(settings, SystemClock()):
        problems += finding.is_problem
        _print(finding)
    click.echo(f"{problems} to put right" if problems else "all is well")
    return 1 if problems else 0


def _on_secrets(kept: Sequence[tuple[str, str]]) -> Finding:
    """Return where each secret was read, which it was without trouble; never what it is."""
    told = "; ".join(f"{setting} from {place}" for setting, place in kept)
    return good("secrets", told or "none is set")


def _print(finding: Finding) -> None:
    if finding.is_problem:
        _print_problem(finding.about, finding.said, finding.next_step)
    else:
        word, colour = ("warning", "yellow") if finding.is_warning else ("ok", "green")
        click.echo(click.style(f"{word:<9}", fg=colour) + printable(f"{finding.about}: {finding.said}"))


def _print_problem(about: str, said: str, next_step: str) -> None:
    click.echo(click.style("problem  ", fg="red") + printable(f"{about}: {said}"))
    click.echo(f"         next: {next_step}")
