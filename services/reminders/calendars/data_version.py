"""Which data reminders are computed from: zones, public holidays, lunar tables."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from services.reminders.zone_data import zone_data_version

_LIBRARIES = ("holidays", "borax")


def data_version() -> str:
    """A text that changes when fires may have changed: with an update of zones, public holidays or lunar dates."""
    return "; ".join([zone_data_version(), *(f"{name} {_installed(name)}" for name in _LIBRARIES)])


@cache
def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
