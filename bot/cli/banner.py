"""Print the start banner, and open the page in a browser on a desktop."""

import asyncio
import os
import sys
import webbrowser
from collections.abc import Iterator, Mapping
from typing import Final

import click

from bot import __version__
from bot.config.settings import Settings
from bot.config.terminal import language_here
from function_calls.language.messages import say

_WITH_WINDOWS: Final = frozenset({"darwin", "win32"})
_ELSEWHERE: Final = ("SSH_CONNECTION", "CI")


def has_desktop(system: str, environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Return whether a browser window would open where the person is: at a terminal of a desktop, not of a far machine.

    `system` is `sys.platform`.
    """
    if not is_terminal or any(environment.get(name) for name in _ELSEWHERE):
        return False
    return system in _WITH_WINDOWS or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def show_page(address: str) -> None:
    """Open `address` in a browser window, if there is a desktop; nobody waits for it."""
    if has_desktop(sys.platform, os.environ, is_terminal=sys.stdout.isatty()):
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)


def print_banner(settings: Settings) -> None:
    """Print it to standard error, in the language of the terminal; addresses follow when there are some."""
    for line in banner(settings, language_here(settings.bot.language)):
        click.echo(line, err=True)


def banner(settings: Settings, language: str) -> Iterator[str]:
    """Its lines."""
    model, search = settings.model, settings.search
    platforms = ", ".join(settings.platforms.enabled) or say(language, "serve.no_platforms")
    yield say(language, "serve.banner", name=settings.bot.name, version=__version__, platforms=platforms)
    yield say(language, "serve.model", model=model.name) if model.is_configured else say(language, "serve.no_model")
    keys = (search.perplexity_api_key, search.tavily_api_key, search.brave_api_key)
    if not (any(key.get_secret_value() for key in keys) or search.searxng_url or search.wikipedia_contact):
        yield say(language, "serve.no_search")
