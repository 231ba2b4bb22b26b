"""`bubbles new handler NAME` and `bubbles new plugin NAME`: something to begin with, and its test."""

import tomllib
from importlib.resources import files
from pathlib import Path

import click

from bot.commands.failing import failed
from bot.commands.new_names import refusal_of


def new_handler(name: str, folder: Path) -> int:
    """Write `<name>.py` and `test_<name>.py` into `folder` and return the exit code; nothing is overwritten."""
    written = _written("handler", name, folder)
    if written == 0:
        click.echo(f"next: pytest test_{name}.py, then put your own words into {name}.py")
    return written


def new_plugin(name: str, folder: Path) -> int:
    """Write a plugin and its test into `folder`, which is made, and return the exit code; nothing is overwritten."""
    written = _written("plugin", name, folder)
    if written == 0:
        click.echo(f"next: pytest {folder.name}/test_{name}.py; `bubbles dev` reloads the plugin while you change it")
    return written


def _written(kind: str, name: str, folder: Path) -> int:
    templates = tomllib.loads(files(__package__).joinpath("templates", f"{kind}.toml").read_text(encoding="utf-8"))
    refused = refusal_of(name, templates.values())
    if refused:
        return failed(refused, 2)
    texts = {
        folder / f"{name}.py": _filled(templates["module"], name),
        folder / f"test_{name}.py": _filled(templates["test"], name),
    }
    taken = [_told(path) for path in (*texts, folder / name) if path.exists()]
    if taken:
        return failed(f"{', '.join(taken)} exists already; nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
            click.echo(f"wrote {_told(path)}")
    except OSError as error:
        return failed(error)
    return 0


def _told(path: Path) -> str:
    """`path` as seen from here, which is how it can be opened."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _filled(template: str, name: str) -> str:
    return template.replace("{{NAME}}", name).replace("{{WORDS}}", name.replace("_", " "))
