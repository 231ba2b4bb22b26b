"""The iCalendar library, imported when it is first needed."""

from types import ModuleType

from services.errors import ConfigError


def calendar_library() -> ModuleType:
    """The package `icalendar`.

    Raises:
        ConfigError: the extra `ical` is not installed.
    """
    try:
        import icalendar
    except ImportError as error:
        raise ConfigError("iCalendar", "", "is not installed: pip install 'bubbles[ical]'") from error
    return icalendar
