"""Parse IRC lines and convert them to chat messages. Source: RFC 2812 and https://ircv3.net/irc/."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from msgspec import Struct, field

from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.events import is_called
from bot.platforms.kit.markdown import Span, plain, spans_of
from bot.platforms.kit.pieces import pieces
from services.kernel.chat import ChatAddress, ChatMessage, Person

NAME: Final = "irc"
# A line has 512 bytes, of which the prefix that the server adds takes up to about a hundred.
TEXT_BYTES: Final = 400

_LINE: Final = re.compile(
    r"(?:@(?P<tags>\S+) +)?(?::(?P<source>\S+) +)?(?P<command>[A-Za-z]+|\d{3})(?P<params>(?: +[^: \r\n]\S*)*)"
    r"(?: +:(?P<last>.*))? *"
)
_ESCAPED: Final = {r"\:": ";", r"\s": " ", r"\\": "\\", r"\r": "\r", r"\n": "\n"}
_FORMATS: Final = re.compile(r"\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04(?:[0-9A-Fa-f]{6})?|[\x02\x0f\x11\x16\x1d\x1e\x1f]")
_CONTROLS: Final = re.compile(r"[\x00\x01\r]")
_BRACKETS: Final = ("(", "（")
_ACTION: Final = "\x01ACTION "
_CASES: Final = str.maketrans("[]\\~", "{}|^")
_WORD: Final = re.compile(r"[\w\[\]\\`^{}|-]+")


class Line(Struct, frozen=True, kw_only=True):
    """A line from the server: its source (`nick!user@host` or a server), command in capitals and parameters."""

    command: str
    params: tuple[str, ...] = ()
    source: str = ""
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def nick(self) -> str:
        """Return the nickname of its source."""
        return self.source.partition("!")[0]

    def param(self, place: int) -> str:
        """Return the parameter at `place` (-1 for the last one), empty where there is none."""
        return self.params[place] if max(place, 0) < len(self.params) else ""


def parse_line(text: str) -> Line | None:
    """Parse one line; None for a malformed one."""
    found = _LINE.fullmatch(text)
    if found is None:
        return None
    params = found["params"].split()
    if found["last"] is not None:
        params.append(found["last"])
    return Line(
        command=found["command"].upper(),
        params=tuple(params),
        source=found["source"] or "",
        tags=dict(_tag(each) for each in (found["tags"] or "").split(";") if each),
    )


def _tag(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, re.sub(r"\\[:s\\rn]", lambda found: _ESCAPED[found[0]], value)


def fold(name: str) -> str:
    """Normalise `name` as servers compare names. Source: RFC 2812 section 2.2."""
    return name.translate(_CASES).casefold()


def address_of(target: str) -> ChatAddress:
    """Return the chat of a channel or of a nickname."""
    return ChatAddress(platform=NAME, chat_id=fold(target))


class LineContext(Struct, frozen=True, kw_only=True):
    """Context of a line: the bot's nickname and name, and the people in the channel by folded nick."""

    nick: str
    bot_name: str
    people: dict[str, Person]


def to_message(
    line: Line, context: LineContext, *, sender: Person, message_id: str, now: datetime
) -> ChatMessage | None:
    """Convert the PRIVMSG `line` to a message; None for CTCP and for the bot's own lines."""
    text = plain_text(line.param(1))
    if text is None or fold(line.nick) == fold(context.nick):
        return None
    is_private = fold(line.param(0)) == fold(context.nick)
    return ChatMessage(
        id=line.tags.get("msgid") or message_id,
        address=address_of(line.nick if is_private else line.param(0)),
        sender=sender,
        text=text,
        sent_at=_time_of(line, now),
        is_addressed=is_private or is_called(text, context.bot_name) or is_called(text, context.nick),
        is_private=is_private,
        reply_to=line.tags.get("+draft/reply") or line.tags.get("+reply"),
        mentions=_find_mentions(text, context),
    )


def plain_text(raw: str) -> str | None:
    """Return the text of a message without colours; None for CTCP requests."""
    text = _FORMATS.sub("", raw)
    if text.startswith(_ACTION):
        return f"/me {text.removeprefix(_ACTION).rstrip(chr(1))}"
    return None if text.startswith("\x01") else text


def _time_of(line: Line, now: datetime) -> datetime:
    """Return the time tag of the line where it has a time zone; else now."""
    try:
        sent_at = datetime.fromisoformat(line.tags.get("time", ""))
    except ValueError:
        return now
    return now if sent_at.tzinfo is None else sent_at


def _find_mentions(text: str, context: LineContext) -> tuple[Person, ...]:
    """Return the people of the channel whose nicknames are in the text after an @, or before a colon."""
    found = (word[0] for word in _WORD.finditer(text) if _is_address(text, word))
    people = (context.people.get(fold(name)) for name in found if fold(name) != fold(context.nick))
    return tuple(dict.fromkeys(person for person in people if person is not None))


def _is_address(text: str, word: re.Match[str]) -> bool:
    before, after = text[word.start() - 1 : word.start()], text[word.end() : word.end() + 1]
    return before == "@" or (word.start() == 0 and after in {":", "："})


def text_lines(message: OutgoingMessage) -> list[str]:
    """Return `message` as texts of PRIVMSG lines."""
    whole = _CONTROLS.sub("", plain([_render_style(span) for span in spans_of(message)]))
    lines = _join_remarks(line for line in whole.split("\n") if line.strip())
    return [piece for line in lines for piece in _pieces(line, message)]


def _join_remarks(lines: Iterable[str]) -> list[str]:
    """Append lines in brackets to the previous line if both fit, as the number of lines per second is limited."""
    joined: list[str] = []
    for line in lines:
        together = f"{joined[-1]} {line.strip()}" if joined and line.lstrip() != line else ""
        if line.lstrip()[:1] in _BRACKETS and 0 < len(together.encode()) <= TEXT_BYTES:
            joined[-1] = together
        else:
            joined.append(line)
    return joined


def _render_style(span: Span) -> Span:
    """Return a span with the control characters of bold or italic text."""
    mark = "\x02" if span.is_bold else "\x1d" if span.is_italic else ""
    if not mark or span.kind == "block":
        return span
    return Span(text=f"{mark}{span.text}{mark}", kind=span.kind, url=span.url, person=span.person)


def _pieces(line: str, message: OutgoingMessage) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    cut = pieces(line, TEXT_BYTES - len(indent), measure=lambda text: len(text.encode()), people=message.mentions)
    return [indent + cut[0], *cut[1:]] if cut else []
