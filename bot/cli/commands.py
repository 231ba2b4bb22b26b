"""Import the commands of `bubbles` on use, and report their errors in one form."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

from bot.config.terminal import printable
from services.kernel.errors import ConfigError, ModelUnavailable, StorageBusy, StorageFull, StorageUnavailable
from services.kernel.startup_imports import import_without_gc

_CONFIG = "bubbles.config"


def _keep_path(context: click.Context, _: click.Parameter, path: Path | None) -> Path | None:
    """Store the path in the context, as the settings determine the language of an error."""
    context.meta[_CONFIG] = path
    return path


config_option = click.option(
    "--config",
    "config",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_keep_path,
    help="Settings file; config.toml of this folder by default.",
)


class CommandFailed(click.ClickException):
    """Ends a command with a message on standard error and an exit code."""

    def __init__(self, problem: object, code: int = 1) -> None:
        if isinstance(problem, OSError) and problem.filename is not None and problem.strerror is not None:
            problem = f"{problem.filename}: {problem.strerror}"  # without the number of the error
        super().__init__(str(problem))
        self.exit_code = code  # type: ignore[misc]  # click declares a class variable and reads it from the instance

    def show(self, file: object = None) -> None:
        """Print the message."""
        del file
        click.echo(printable(f"bubbles: {self.message}"), err=True)


class CommandGroup(click.Group):
    """The commands of `bubbles` and of plugins, imported lazily.

    `sources` has the place (`module:attribute`) and the help of each command; `find_other` returns any other command.
    """

    def __init__(
        self,
        *,
        sources: Mapping[str, tuple[str, str]],
        find_other: Callable[[str], click.Command | None],
        **settings: object,
    ) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]  # the arguments of click.group
        self.sources = sources
        self._find_other = find_other
        self.words: Mapping[str, str] = {}
        """Translations of the help texts, by the English text."""
        self.translate: Callable[[click.Command], None] | None = None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        del ctx
        return sorted(self.sources)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name."""
        del ctx
        if cmd_name not in self.sources:
            return self._find_other(cmd_name)
        place, text = self.sources[cmd_name]
        module, _, attribute = place.partition(":")
        if module.startswith("benchmarks.") and find_spec("benchmarks.evaluation") is None:
            raise CommandFailed("the evaluation is not part of the package: run it from a checkout, after make install")
        with import_without_gc():
            command: click.Command = getattr(import_module(module), attribute)
        command.help = text
        if self.translate is not None:
            self.translate(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        listed = [click.Command(name, help=self.words.get(text, text)) for name, (_, text) in self.sources.items()]
        click.Group(commands=listed).format_commands(ctx, formatter)

    def invoke(self, ctx: click.Context) -> None:
        """Run the command and exit with the code that it returns."""
        try:
            code = super().invoke(ctx)
        except ConfigError as error:
            from bot.config.field_errors import config_error_text
            from bot.config.sources import operator_language

            raise CommandFailed(config_error_text(error, operator_language(ctx.meta.get(_CONFIG))), 2) from error
        except StorageBusy as error:
            advice = "Stop that process, or give this one its own data: BUBBLES_BOT__DATA_DIR=other"
            raise CommandFailed(f"{error}. {advice}") from error
        except (StorageFull, StorageUnavailable) as error:
            raise CommandFailed(error) from error
        except ModelUnavailable as error:
            raise CommandFailed(f"the model did not answer: {error}") from error
        if ctx.invoked_subcommand in self.sources:
            ctx.exit(code or 0)
