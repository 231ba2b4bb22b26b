"""What `bubbles run` says when it starts: who it is, where it is, and what is missing."""

from collections.abc import Iterator

import click

from bot import __version__
from bot.settings import Settings
from bot.terminal_language import language_here
from function_calls.language.messages import say


def show_banner(settings: Settings) -> None:
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
