"""Parse a docstring: the description of the function and of each parameter.

Google, NumPy, Sphinx and Epytext styles are supported, with English or Chinese section titles. The description has the
prose only, without sections.
"""

import inspect
import re
from collections.abc import Mapping

from msgspec import Struct, field

PARAMETER_TITLES = frozenset(
    {
        "args", "arguments", "parameters", "params", "attributes", "keyword args", "keyword arguments",
        "other parameters", "kwargs", "参数", "參數", "参数说明", "属性", "入参",
    }
)  # fmt: skip
OTHER_TITLES = frozenset(
    {
        "returns", "return", "yields", "yield", "raises", "raise", "throws", "except", "exceptions", "warns",
        "example", "examples", "usage", "note", "notes", "warning", "warnings", "see also", "references", "todo",
        "receives", "methods", "返回", "返回值", "异常", "抛出", "示例", "例子", "注意", "备注",
    }
)  # fmt: skip
_MAX_LINES = 1000  # the time for unindented entries grows with their square
_FIELD_KINDS = frozenset({"param", "parameter", "arg", "argument", "keyword", "key", "kwarg", "var", "ivar", "cvar"})
_FIELD = re.compile(
    r"^[ \t]*[:@](?P<kind>param|parameter|arg|argument|keyword|key|kwarg|type|returns?|rtype|raises?|except"
    r"|exception|throws|yields?|ytype|var|ivar|cvar|vartype|meta)\b(?P<rest>[^:]*):[ \t]*(?P<text>.*)$"
)
# A parameter: `name`, `name (type)`, `a, b : type`, `**options: text`, `name：文字`, `` `name` - text``.
_ENTRY = re.compile(
    r"^[-*•]?\s*`{0,2}(?P<names>\*{0,2}[^\W\d]\w*(?:\s*,\s*\*{0,2}[^\W\d]\w*)*)`{0,2}"
    r"\s*(?:[(（](?:[^()（）]|[(（][^()（）]*[)）])*[)）])?\s*(?:(?:[:：]|\s[-–—]\s)\s*(?P<text>.*))?$"
)


class Docstring(Struct, frozen=True, kw_only=True):
    """A parsed docstring; every text is without indentation."""

    description: str = ""
    """The paragraphs without any section."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Parameter name to its text."""


class _Reading(Struct, kw_only=True):
    prose: list[str] = field(default_factory=list)
    sections: list[tuple[str, list[str]]] = field(default_factory=list)
    fields: list[list[str]] = field(default_factory=list)


def parse_docstring(text: str | None) -> Docstring:
    """Split `text` (a raw `__doc__`, or None) into description and parameter texts."""
    if not text or not text.strip():
        return Docstring()
    reading = _read(inspect.cleandoc(text).splitlines()[:_MAX_LINES])
    parameters: dict[str, str] = {}
    for title, lines in reading.sections:
        if title in PARAMETER_TITLES:
            parameters.update(_entries(lines))
    parameters.update(_field_entries(reading.fields))
    return Docstring(description="\n\n".join(map(_flow, _paragraphs(reading.prose))), parameters=parameters)


def _read(lines: list[str]) -> _Reading:
    """Assign the lines to prose, titled sections and `:field:` lists."""
    reading = _Reading()
    target: list[str] = reading.prose
    indent: int | None = None  # of the open section's title; None while in prose
    at = 0
    while at < len(lines):
        line = lines[at]
        following = lines[at + 1] if at + 1 < len(lines) else ""
        title, skip = _title(line, following, in_section=indent is not None)
        if _FIELD.match(line):
            target = [line]
            reading.fields.append(target)
            indent = 0
        elif title:
            target = [_after_title(line)]
            reading.sections.append((title, target))
            indent = _indent(line) if skip == 1 else -1
        elif indent is not None and indent >= 0 and _leaves(line, indent, target):
            target, indent = reading.prose, None
            target += ["", line]
        else:
            target.append(line)
        at += skip
    return reading


def _title(line: str, following: str, *, in_section: bool) -> tuple[str, int]:
    """Return the section that starts at `line`, if any, and how many lines its title takes."""
    word = line.strip().rstrip(":：").strip().lower()
    if word in PARAMETER_TITLES or word in OTHER_TITLES:
        if re.fullmatch(r"\s*[-=~]{3,}\s*", following):
            return word, 2
        if line.strip()[-1] in ":：" and (_indent(line) == 0 or not in_section):
            return word, 1
    head, colon, rest = line.partition(":")
    word = head.strip().lower()
    # "Returns: a list of names" carries its text behind the colon.
    one_line = bool(colon and rest.strip()) and word in OTHER_TITLES - {"note", "notes", "warning", "warnings"}
    return (word, 1) if one_line and _indent(line) == 0 else ("", 1)


def _after_title(line: str) -> str:
    return re.split(r"[:：]", line, maxsplit=1)[1] if re.search(r"[:：]\s*\S", line) else ""


def _leaves(line: str, indent: int, section: list[str]) -> bool:
    """Return whether an unindented line ends a section, unless the entries of the section are not indented."""
    if not line.strip() or _indent(line) > indent:
        return False
    body = [line for line in section if line.strip()]
    if not body:
        return not _ENTRY.match(line.strip())
    flat = all(_indent(line) <= indent for line in body) and not _FIELD.match(body[0])
    return not (flat and _ENTRY.match(line.strip()) and section[-1].strip())


def _entries(lines: list[str]) -> dict[str, str]:
    """Parse `name (type): text` (Google) or `name : type` over an indented text (NumPy)."""
    body = [line for line in lines if line.strip()]
    if not body:
        return {}
    edge = min(_indent(line) for line in body)
    found: dict[str, list[str]] = {}
    names: list[str] = []
    numpy = _looks_numpy(body, edge)
    for line in lines:
        match = _ENTRY.match(line.strip()) if line.strip() and _indent(line) == edge else None
        if match:
            names = [name.strip().lstrip("*") for name in match["names"].split(",")]
            first = "" if numpy else match["text"] or ""
            found.update({name: [first] for name in names})
            continue
        for name in names:
            found[name].append(line)
    return {name: _flow(texts) for name, texts in found.items() if _flow(texts)}


def _looks_numpy(body: list[str], edge: int) -> bool:
    """Return whether the entries are NumPy's: texts on deeper lines, and at most a type after the colon."""
    heads = [line for line in body if _indent(line) == edge]
    followed = [at for at, line in enumerate(body[:-1]) if _indent(line) == edge < _indent(body[at + 1])]
    spaced = all(re.fullmatch(r"\s*[\w*, ]+(\s:\s.*)?", head) for head in heads)
    return spaced and len(followed) == len(heads)


def _field_entries(fields: list[list[str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for lines in fields:
        match = _FIELD.match(lines[0])
        if match and match["kind"] in _FIELD_KINDS:
            found[match["rest"].split()[-1].lstrip("*") if match["rest"].split() else ""] = _flow(
                [match["text"], *lines[1:]]
            )
    return {name: text for name, text in found.items() if name and text}


def _flow(lines: list[str]) -> str:
    """Join wrapped lines with a space; keep bullets and blank lines as line breaks."""
    pieces: list[str] = []
    for line in "\n".join(lines).strip().splitlines():
        stripped = line.strip()
        starts_anew = not stripped or re.match(r"([-*•]|\d+[.)、])\s", stripped)
        if pieces and pieces[-1] and not starts_anew:
            pieces[-1] += " " + stripped
        elif stripped or (pieces and pieces[-1]):
            pieces.append(stripped)
    return "\n".join(pieces).strip()


def _paragraphs(lines: list[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
