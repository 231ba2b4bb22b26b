"""Restrict the data folder to the user of the bot."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from loguru import logger

from services.kernel.private_files import close_to_others

_FILES = ("bubbles.db*", "bubbles*.log*")


def restrict_data_folder(folder: Path) -> None:
    """Take the rights of other users away from the data folder, database, logs and uploads that are there; log it once.

    A data folder that is the working folder or a home is no folder of the bot alone, and keeps its mode.
    """
    if not folder.is_dir():
        return
    shared = {Path.cwd(), Path("/")}
    with suppress(RuntimeError):  # a user of a container may have no home
        shared.add(Path.home())
    own = [] if folder.resolve() in shared else [folder]
    files = [each for pattern in _FILES for each in folder.glob(pattern)]
    closed = close_to_others([*own, *files, folder / "files"])
    if folder / "files" in closed:
        closed += close_to_others(_inside(folder / "files"))
    if closed:
        logger.warning(
            "restricted permissions of {} files and folders below {} that other users could read", len(closed), folder
        )


def _inside(folder: Path) -> Iterator[Path]:
    return (each for each in folder.rglob("*") if not each.is_symlink())
