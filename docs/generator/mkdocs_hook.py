"""Add the generated pages to the site; named under `hooks` in `.ci/mkdocs.yml`."""

from collections.abc import Callable, Mapping
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from docs.generator.commands import commands_page
from docs.generator.errors import errors_page
from docs.generator.extension_points import extension_page
from docs.generator.functions import functions_page
from docs.generator.http_routes import http_page
from docs.generator.settings import settings_page

GENERATED: Final[Mapping[str, Callable[[], str]]] = {
    "reference/functions.md": functions_page,
    "reference/settings.md": settings_page,
    "reference/commands.md": commands_page,
    "reference/errors.md": errors_page,
    "reference/hooks.md": extension_page,
    "reference/http-routes.md": http_page,
}
"""The generated pages by their path in the site."""


def on_files(files: Files, /, *, config: MkDocsConfig) -> Files:
    """Add the generated pages; called by MkDocs with the files of `docs/`."""
    for place, page in GENERATED.items():
        files.append(File.generated(config, place, content=page()))
    return files
