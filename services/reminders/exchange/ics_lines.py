"""Split iCalendar text into components."""

from types import ModuleType

from msgspec import Struct

from services.kernel.errors import ConfigError
from services.reminders.exchange.model import ImportRefused, Problem


def calendar_library() -> ModuleType:
    """Return the package `icalendar`.

    Raises:
        ConfigError: the extra `ical` is not installed.
    """
    try:
        import icalendar
    except ImportError as error:
        raise ConfigError("iCalendar", "", "is not installed: pip install 'bubbles[ical]'") from error
    return icalendar


_DEEPEST = 8
_KEPT = frozenset({"VEVENT", "VTODO", "VTIMEZONE"})


class IcsPart(Struct, frozen=True, kw_only=True):
    """The text of a VEVENT, VTODO or VTIMEZONE, and the number of its first line."""

    kind: str
    line: int
    text: str


def ics_parts(text: str) -> tuple[IcsPart, ...]:
    """Return the components of one or several calendars, in order; other text is ignored.

    Raises:
        ImportRefused: BEGIN and END do not match, or the text is not a calendar.
    """
    cutter = _Cutter()
    # Only a line feed ends a line; `splitlines` knows other separators, which may be text.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        cutter.take(number, line.removesuffix("\r"))
    return cutter.finished()


class _Cutter:
    def __init__(self) -> None:
        self._parts: list[IcsPart] = []
        self._open: list[str] = []
        self._line = 1
        self._kept: list[str] = []

    def take(self, number: int, line: str) -> None:
        name, _, value = line.partition(":")
        word, value = name.upper(), value.strip().upper()
        if word == "BEGIN":
            self._begin(number, value)
        elif not self._open and line.strip():
            raise _refusal(number, "not an iCalendar file: it must begin with BEGIN:VCALENDAR")
        if len(self._open) > 1:
            self._kept.append(line)
        if word == "END":
            self._end(number, value)

    def finished(self) -> tuple[IcsPart, ...]:
        if self._open:
            raise _refusal(self._line, f"BEGIN:{self._open[-1][:40]} without its END")
        return tuple(self._parts)

    def _begin(self, number: int, kind: str) -> None:
        self._open.append(kind)
        if len(self._open) > _DEEPEST:
            raise _refusal(number, "components are nested too deeply")
        if len(self._open) == 2:
            self._line, self._kept = number, []

    def _end(self, number: int, kind: str) -> None:
        if not self._open or self._open.pop() != kind:
            raise _refusal(number, f"END:{kind[:40]} without its BEGIN")
        if len(self._open) == 1 and kind in _KEPT:
            self._parts.append(IcsPart(kind=kind, line=self._line, text="\r\n".join([*self._kept, ""])))


def _refusal(line: int, reason: str) -> ImportRefused:
    return ImportRefused([Problem(place=f"line {line}", uid="", reason=reason)])
