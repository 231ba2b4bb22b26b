"""`bubbles new`: write the files of a new handler or plugin."""

import ast
import builtins
import keyword
import re
import sys
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

from bot.cli.commands import CommandFailed

_MAX_CHARACTERS: Final = 64
_OTHER_CHARACTERS: Final = re.compile(r"[^a-z0-9]+")
_CAMEL_CASE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PYTEST_NAMES: Final = ("conftest", "test")


def find_name_problem(name: str, templates: Iterable[str]) -> str:
    """Return why `name` cannot be used for `templates`, with a suggestion; empty if it can."""
    if "/" in name or "\\" in name:
        return f"{name!r} is a path; change into the folder first, and give only a name{_suggest_name(name)}"
    is_plain = name.isascii() and name.isidentifier() and name == name.lower()
    if not is_plain or len(name) > _MAX_CHARACTERS or name.startswith("_"):
        return (
            f"{name!r} cannot be a function's name; use a-z, 0-9 and _, at most {_MAX_CHARACTERS}{_suggest_name(name)}"
        )
    if keyword.iskeyword(name):
        return f"{name!r} cannot be a function's name: it is a keyword of Python{_suggest_prefix(name)}"
    if name in _PYTEST_NAMES or name.startswith("test_"):
        return f"{name}.py is a file name of pytest{_suggest_name(name.removeprefix('test_'))}"
    if hasattr(builtins, name) or _is_module(name) or name in _names_in(templates):
        return f"{name!r} is already a name in Python or in the new file{_suggest_prefix(name)}"
    from bot.app.registry import built_in_registry

    if built_in_registry().get(name) is not None:
        return f"the bot has a function {name!r}; names must be unique{_suggest_prefix(name)}"
    return ""


def _suggest_name(name: str) -> str:
    """Return a hint with the closest valid name, if there is one."""
    last = re.split(r"[/\\]", name.rstrip("/\\"))[-1].removesuffix(".py")
    letters = unicodedata.normalize("NFKD", _CAMEL_CASE.sub("_", last)).encode("ascii", "ignore").decode()
    plain = _OTHER_CHARACTERS.sub("_", letters.lower()).strip("_")[:_MAX_CHARACTERS]
    if plain.isidentifier() and not keyword.iskeyword(plain):
        return f"; for example {plain}"
    return "" if name.isascii() else "; write phrases in other scripts into examples=[…]"


def _suggest_prefix(name: str) -> str:
    return f"; for example my_{name}"


def _is_module(name: str) -> bool:
    """Return whether `import name` finds a module outside of this folder."""
    if name in sys.stdlib_module_names:
        return True
    try:
        found = find_spec(name)
    except (ImportError, ValueError):
        return False
    return found is not None and (found.origin is None or Path(found.origin).parent != Path.cwd())


def _names_in(templates: Iterable[str]) -> set[str]:
    """Return the names that the templates define or import."""
    trees = (ast.parse(template.replace("{{NAME}}", "_").replace("{{WORDS}}", "_")) for template in templates)
    return {name for tree in trees for node in ast.walk(tree) for name in _names_of(node)}


def _names_of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.alias(name=name):
            yield name


@click.group()
def new() -> None:
    """Group the commands that write files."""


@new.command(name="handler")
@click.argument("name")
def new_handler(name: str) -> None:
    """Write a function called NAME and its test into this folder."""
    _write("handler", name, Path.cwd())
    click.echo(f"next: python -m pytest test_{name}.py, then put your own words into {name}.py")


@new.command(name="plugin")
@click.argument("name")
def new_plugin(name: str) -> None:
    """Write a plugin called NAME and its test into `plugins` here."""
    _write("plugin", name, Path.cwd() / "plugins")
    click.echo(f"next: python -m pytest plugins/test_{name}.py; `bubbles dev` reloads the plugin while you change it")


def _write(kind: str, name: str, folder: Path) -> None:
    """Write the files of a template into `folder`; existing files are not overwritten."""
    templates = tomllib.loads(files(__package__).joinpath("templates", f"{kind}.toml").read_text(encoding="utf-8"))
    refused = find_name_problem(name, templates.values())
    if refused:
        raise CommandFailed(refused, 2)
    texts = {
        folder / f"{name}.py": _fill_template(templates["module"], name),
        folder / f"test_{name}.py": _fill_template(templates["test"], name),
    }
    taken = [_display_path(path) for path in (*texts, folder / name) if path.exists()]
    if taken:
        raise CommandFailed(f"{', '.join(taken)} exists already; nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
            click.echo(f"wrote {_display_path(path)}")
    except OSError as error:
        raise CommandFailed(error) from error


def _display_path(path: Path) -> str:
    """Return `path` relative to the working folder if it is inside."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _fill_template(template: str, name: str) -> str:
    return template.replace("{{NAME}}", name).replace("{{WORDS}}", name.replace("_", " "))
