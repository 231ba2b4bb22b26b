"""Identify the installed data of time zones and holidays, which updates change."""

import zoneinfo
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def zone_data_version() -> str:
    """Return the version of the time zone data, such as `2025b`.

    Like `zoneinfo`, use the first folder of the search path that has zones, else the package `tzdata`.
    """
    return _version_on(zoneinfo.TZPATH)


@cache
def _version_on(folders: tuple[str, ...]) -> str:
    for name in folders:
        folder = Path(name)
        if folder.is_dir() and any(folder.iterdir()):
            return _version_in(folder)
    try:
        return str(import_module("tzdata").IANA_VERSION)
    except ImportError:
        return "none"


def _version_in(folder: Path) -> str:
    """Return the version in the files of the folder, else the time of its newest file."""
    source, stamp = folder / "tzdata.zi", folder / "+VERSION"
    if source.is_file():
        with source.open(encoding="utf-8") as lines:
            return lines.readline().removeprefix("# version").strip()
    if stamp.is_file():
        return stamp.read_text(encoding="utf-8").strip()
    return str(max(int(file.stat().st_mtime) for file in folder.iterdir()))


def data_version() -> str:
    """Return a text that identifies the installed data of zones and public holidays."""
    return f"{zone_data_version()}; holidays {_package_version('holidays')}"


@cache
def _package_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
