"""Parse Markdown into spans and render them as plain text or HTML; each platform renders the rest.

The dialect: `**bold**`, `*italic*` or `_italic_`, `` `code` ``, fenced code blocks, `[text](https://…)`, and headings,
which become bold lines. Marks in the middle of a word, or without their partner, are plain text: nothing that a person
wrote is ever lost.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from bot.platforms.base import OutgoingMessage
from services.kernel.chat import Person

# A word joiner is invisible, and no platform recognises a mention that contains it.
_JOINER: Final = "\u2060"
_WORD: Final = r"(?:everyone|here|all|channel|room|group|所有人|全体成员|全体|大家)(?![a-z0-9_])"
# sales@all.example is an e-mail address; everything else may notify on some platform, even within a word.
_RINGS: Final = re.compile(rf"(?<![\w.+-])@(?={_WORD})|@(?={_WORD}(?!\.[a-z0-9]))", re.IGNORECASE)

Kind = Literal["text", "code", "block", "link", "mention", "everyone"]

# Each pattern ends at the next marker of its kind or after a bounded length, so that many openings take no long time.
_FENCE: Final = re.compile(r"^```(?P<language>[\w+-]*)[ \t]*\n(?P<code>(?:(?!```).*\n)*)```[ \t]*$\n?", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(?P<title>\S.*)$", re.MULTILINE)
INLINE: Final = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|\[(?P<label>[^\[\]\n]+)\]\((?P<url>https?://[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)\)"
    r"|(?P<bare>https?://[^\s<>\"'，。！？）]+)"
    r"|\*\*(?P<bold>(?=\S)[^\n]{1,500}?(?<=\S))\*\*"
    r"|(?<![\w*])\*(?P<star>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])"
    r"|(?<![\w_])_(?P<line>[^\s_](?:[^_\n]*[^\s_])?)_(?![\w_])"
)
_EVERYONE: Final = re.compile(
    r"(?<![\w@])@(?:everyone|all|here|channel|room|所有人|全体成员)|\beveryone\b|所有人", re.IGNORECASE
)


def defuse_mentions(text: str) -> str:
    """Insert an invisible character into `@everyone`, `@here`, `@all`, `@所有人` and the like, which disables them."""
    return _RINGS.sub(f"@{_JOINER}", text)


class Span(Struct, frozen=True, kw_only=True):
    """A piece of text of one kind. `text` is not escaped.

    A `link` has its `url`, a `mention` its `person`, a `block` the `language` of its code.
    """

    text: str
    kind: Kind = "text"
    is_bold: bool = False
    is_italic: bool = False
    url: str = ""
    language: str = ""
    person: Person | None = None


def spans_of(message: OutgoingMessage, text: str | None = None) -> tuple[Span, ...]:
    """Return the spans of `message`, or of its piece `text`, with mentions.

    People to notify who are not named in the text are mentioned at the start of the first piece.
    """
    piece = message.text if text is None else text
    spans = [part for span in parse(piece) for part in _with_mentions(span, message.mentions)]
    if message.text.lstrip().startswith(piece.lstrip()):
        spans = [*_extra_mentions(message), *(_with_everyone(spans) if message.mentions_everyone else spans)]
    return tuple(
        span if span.kind == "everyone" else replace(span, text=defuse_mentions(span.text))
        for span in spans
        if span.text
    )


def parse(text: str) -> list[Span]:
    """Parse `text` into spans, without mentions."""
    spans: list[Span] = []
    end = 0
    for found in _FENCE.finditer(text):
        code = found["code"].removesuffix("\n")
        if not code.strip():
            continue  # no platform shows an empty block
        spans += _lines(text[end : found.start()])
        spans.append(Span(text=code, kind="block", language=found["language"]))
        end = found.end()
    return spans + _lines(text[end:])


def code_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the fenced code blocks of `text` begin and end."""
    return (found.span() for found in _FENCE.finditer(text))


def plain(spans: Sequence[Span]) -> str:
    """Render the spans as plain text."""
    return "".join(map(plain_span, spans)).strip("\n")


def plain_span(span: Span) -> str:
    """Render one span as plain text, with line ends around a code block."""
    if span.kind == "link" and span.url != span.text:
        return f"{span.text} ({span.url})"
    if span.kind == "block":
        return f"\n{span.text}\n"
    return span.text


def _lines(text: str) -> list[Span]:
    """Parse text without code blocks; headings become bold."""
    spans: list[Span] = []
    end = 0
    for found in _HEADING.finditer(text):
        spans += _inline(text[end : found.start()])
        spans += _inline(found["title"], is_bold=True)
        end = found.end()
    return spans + _inline(text[end:])


def _inline(text: str, *, is_bold: bool = False, is_italic: bool = False) -> list[Span]:
    spans: list[Span] = []
    end = 0
    for found in INLINE.finditer(text):
        spans.append(Span(text=text[end : found.start()], is_bold=is_bold, is_italic=is_italic))
        spans += _parse_mark(found, is_bold=is_bold, is_italic=is_italic)
        end = found.end()
    spans.append(Span(text=text[end:], is_bold=is_bold, is_italic=is_italic))
    return [span for span in spans if span.text]


def _parse_mark(found: re.Match[str], *, is_bold: bool, is_italic: bool) -> list[Span]:
    if found["code"]:
        return [Span(text=found["code"], kind="code", is_bold=is_bold, is_italic=is_italic)]
    if found["label"] or found["bare"]:
        label, url = found["label"] or found["bare"], found["url"] or found["bare"]
        return [Span(text=label, kind="link", url=url, is_bold=is_bold, is_italic=is_italic)]
    if found["bold"]:
        return _inline(found["bold"], is_bold=True, is_italic=is_italic)
    return _inline(found["star"] or found["line"], is_bold=is_bold, is_italic=True)


def mention_pattern(people: Sequence[Person]) -> re.Pattern[str] | None:
    """Return a pattern of `@name` for all `people`, the longest name first; None without people."""
    names = sorted({person.name for person in people if person.name}, key=len, reverse=True)
    if not names:
        return None
    return re.compile("|".join(rf"@{re.escape(name)}{_END if name[-1].isascii() else ''}" for name in names))


_END: Final = r"(?![A-Za-z0-9_])"


def find_mentioned(text: str, people: Sequence[Person]) -> tuple[Person, ...]:
    """Return those of `people` whom `text` mentions by `@name`; the longest matching name wins."""
    pattern = mention_pattern(people)
    names = {found[0].removeprefix("@").casefold() for found in pattern.finditer(text)} if pattern else set()
    return tuple(person for person in people if person.name.casefold() in names)


def _with_mentions(span: Span, people: Sequence[Person]) -> Iterator[Span]:
    pattern = mention_pattern(people) if span.kind == "text" else None
    if pattern is None:
        yield span
        return
    by_name = {person.name: person for person in people}
    end = 0
    for found in pattern.finditer(span.text):
        yield replace(span, text=span.text[end : found.start()])
        yield replace(span, text=found[0], kind="mention", person=by_name[found[0][1:]])
        end = found.end()
    yield replace(span, text=span.text[end:])


def _extra_mentions(message: OutgoingMessage) -> Iterator[Span]:
    """Yield mentions of the people to notify who are not named in the text."""
    for person in message.mentions:
        pattern = mention_pattern([person])
        if pattern is not None and not pattern.search(message.text):
            yield Span(text=f"@{person.name}", kind="mention", person=person)
            yield Span(text=" ")


def _with_everyone(spans: Sequence[Span]) -> list[Span]:
    """Convert the first word for everybody to the mention of everyone, or insert one at the start."""
    for place, span in enumerate(spans):
        found = _EVERYONE.search(span.text) if span.kind == "text" else None
        if found is not None:
            before, after = span.text[: found.start()], span.text[found.end() :]
            here = [
                replace(span, text=before),
                replace(span, text=found[0], kind="everyone"),
                replace(span, text=after),
            ]
            return [*spans[:place], *here, *spans[place + 1 :]]
    return [Span(text="@everyone", kind="everyone"), Span(text=" "), *spans]


Special = Callable[[Span], str]


def render_html(spans: Sequence[Span], special: Special, *, newline: str = "\n") -> str:
    """Render the spans as escaped HTML.

    `special` renders a mention of a person or of everyone; `newline` replaces line ends outside code.
    """
    return "".join(_html_style(span, _html_inner(span, special, newline)) for span in spans)


def _html_inner(span: Span, special: Special, newline: str) -> str:
    text = escape(span.text, quote=False)
    if span.kind in {"mention", "everyone"}:
        return special(span)
    if span.kind == "code":
        return f"<code>{text}</code>"
    if span.kind == "block":
        language = f' class="language-{escape(span.language)}"' if span.language else ""
        return f"<pre><code{language}>{text}</code></pre>"
    text = text.replace("\n", newline)
    return f'<a href="{escape(span.url)}">{text}</a>' if span.kind == "link" else text


def _html_style(span: Span, inner: str) -> str:
    if span.is_italic:
        inner = f"<i>{inner}</i>"
    return f"<b>{inner}</b>" if span.is_bold else inner
