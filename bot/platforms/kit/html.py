"""Render spans as the HTML subset of Telegram and Matrix."""

from collections.abc import Callable, Sequence
from html import escape

from bot.platforms.kit.markdown import Span

Special = Callable[[Span], str]


def as_html(spans: Sequence[Span], special: Special, *, newline: str = "\n") -> str:
    """Return the spans as HTML, everything escaped.

    `special` words a mention of a person or of everyone, in HTML. `newline` stands for the ends of lines outside code.
    """
    return "".join(_style(span, _inner(span, special, newline)) for span in spans)


def _inner(span: Span, special: Special, newline: str) -> str:
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


def _style(span: Span, inner: str) -> str:
    if span.is_italic:
        inner = f"<i>{inner}</i>"
    return f"<b>{inner}</b>" if span.is_bold else inner
