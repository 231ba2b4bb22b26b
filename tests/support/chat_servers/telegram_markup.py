"""Reads Telegram's HTML as strictly as its server does. Source: https://core.telegram.org/bots/api#html-style."""

from html.parser import HTMLParser

_ALLOWED = {"b", "strong", "i", "em", "u", "s", "code", "pre", "a", "blockquote", "tg-spoiler"}


class MarkupBroken(Exception):
    """The text is not HTML in Telegram's form."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag not in _ALLOWED:
            raise MarkupBroken(f"Unsupported start tag {tag!r}")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise MarkupBroken(f"Unexpected end tag {tag!r}")

    def handle_data(self, data: str) -> None:
        self.seen.append(data)


def visible_text(markup: str) -> str:
    """Return the visible text of `markup`.

    Raises:
        MarkupBroken: Telegram would refuse it.
    """
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    if reader.open:
        raise MarkupBroken(f"Can't find end tag corresponding to start tag {reader.open[-1]!r}")
    return "".join(reader.seen)
