"""Arguments made from a JSON Schema, right ones and broken ones; the same ones every time."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from function_calls.tools.validation.schema_walk import pointer_target

Schema = Mapping[str, object]

_DEEPEST = 3
_MOST_OF_ONE = 6
_LONGEST = 200
_FORMATS = {
    "date": "2026-11-20",
    "date-time": "2026-11-20T10:00:00+00:00",
    "time": "10:00:00",
    "duration": "PT5M",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "email": "ann@example.org",
    "uri": "https://example.org/",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
}
_TEXTS = ("text", "1", "a", "abc", "2026-11-20", "10:00", "提醒")
_POOL: tuple[object, ...] = (None, True, 7, -1, 1.5, 1e300, "", "7", "text", [], [None], {}, {"unknown": 1})
"""Values of every kind: whatever an argument wants, most of these are not it."""


def candidates(schema: Schema) -> Iterator[dict[str, object]]:
    """Argument objects for `schema`: whole ones, minimal ones, and each broken in one place. Some may fit by chance."""
    samples = Samples(schema)
    yield from samples.whole()
    yield from samples.broken()


class Samples:
    """Makes values for one schema."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._parts = {name: part for name, part in _mapping(root, "properties").items() if isinstance(part, Mapping)}
        self._needed = [name for name in _listed(root, "required") if isinstance(name, str)]

    def whole(self) -> Iterator[dict[str, object]]:
        """Only what is needed; everything; and everything with each further value of each argument."""
        full = self._full()
        yield {name: value for name, value in full.items() if name in self._needed}
        yield full
        for name, part in self._parts.items():
            for value in islice(self._values(part, 0), 1, _MOST_OF_ONE):
                yield full | {name: value}

    def broken(self) -> Iterator[dict[str, object]]:
        """One thing wrong at a time: missing, unknown, of another kind, out of bounds."""
        full = self._full()
        for name in self._needed:
            yield {key: value for key, value in full.items() if key != name}
        yield full | {"no_such_argument": 1}
        for name, part in self._parts.items():
            for value in (*_POOL, *self._beyond(part)):
                yield full | {name: value}

    def _full(self) -> dict[str, object]:
        firsts = {name: next(self._values(part, 0), None) for name, part in self._parts.items()}
        return {name: value for name, value in firsts.items() if value is not None or name in self._needed}

    def _values(self, part: Schema, depth: int) -> Iterator[object]:
        """Values that should fit `part`, plain ones first."""
        part = self._resolved(part)
        if "const" in part:
            yield part["const"]
        elif "enum" in part:
            yield from _listed(part, "enum")
        elif any(key in part for key in ("anyOf", "oneOf")):
            for arm in (*_listed(part, "anyOf"), *_listed(part, "oneOf")):
                yield from islice(self._values(arm if isinstance(arm, Mapping) else {}, depth), 2)
        else:
            for kind in _kinds(part):
                yield from self._of_kind(kind, part, depth)

    def _of_kind(self, kind: str, part: Schema, depth: int) -> Iterator[object]:
        if kind == "string":
            yield from _texts(part)
        elif kind in ("integer", "number"):
            yield from _numbers(part, kind)
        elif kind == "array":
            yield from self._arrays(part, depth)
        elif kind == "object":
            yield from self._objects(part, depth)
        else:
            yield from {"boolean": (True, False), "null": (None,)}.get(kind, ("text", 1))

    def _arrays(self, part: Schema, depth: int) -> Iterator[object]:
        least = _number(part, "minItems", 0)
        items = part.get("items")
        inner = list(islice(self._values(items if isinstance(items, Mapping) else {}, depth + 1), 2))
        if not least:
            yield []
        if depth < _DEEPEST and inner:
            yield [inner[at % len(inner)] for at in range(int(max(1, least)))]

    def _objects(self, part: Schema, depth: int) -> Iterator[object]:
        needed = _listed(part, "required")
        parts = {name: inner for name, inner in _mapping(part, "properties").items() if isinstance(inner, Mapping)}
        chosen = {name: inner for name, inner in parts.items() if name in needed or depth < _DEEPEST}
        yield {name: next(self._values(inner, depth + 1), None) for name, inner in chosen.items() if name in needed}
        if depth < _DEEPEST:
            yield {name: next(self._values(inner, depth + 1), None) for name, inner in chosen.items()}

    def _beyond(self, part: Schema) -> Iterator[object]:
        """Just outside the bounds of `part`."""
        part = self._resolved(part)
        for key, step in (("minimum", -1), ("maximum", 1), ("exclusiveMinimum", 0), ("exclusiveMaximum", 0)):
            if key in part:
                yield _number(part, key, 0) + step
        if "minLength" in part:
            yield "a" * max(0, int(_number(part, "minLength", 0)) - 1)
        if _number(part, "maxLength", _LONGEST) < _LONGEST:
            yield "a" * (int(_number(part, "maxLength", 0)) + 1)
        if "enum" in part:
            yield "none of them"

    def _resolved(self, part: Schema) -> Schema:
        reference = part.get("$ref")
        if isinstance(reference, str):
            return {**pointer_target(self._root, reference), **{k: v for k, v in part.items() if k != "$ref"}}
        return part


def _texts(part: Schema) -> Iterator[object]:
    known = _FORMATS.get(str(part.get("format", "")))
    if known is not None:
        yield known
        return
    least = int(_number(part, "minLength", 0))
    most = int(min(_number(part, "maxLength", _LONGEST), _LONGEST))
    yield from (text for text in _TEXTS if least <= len(text) <= most)
    yield "a" * max(least, 1)
    yield "a" * most


def _numbers(part: Schema, kind: str) -> Iterator[object]:
    step = _number(part, "multipleOf", 1)
    least = _number(part, "minimum", _number(part, "exclusiveMinimum", -1) + 1)
    most = _number(part, "maximum", _number(part, "exclusiveMaximum", least + 10 * step + 1) - 1)
    whole = [value for value in (least, most, 0, 1, step) if least <= value <= most]
    yield from (int(value) if kind == "integer" else value for value in whole)
    if kind == "number":
        yield (least + most) / 2


def _kinds(part: Schema) -> Sequence[str]:
    kind = part.get("type")
    if isinstance(kind, str):
        return (kind,)
    if isinstance(kind, list):
        return [str(each) for each in kind]
    return ("object",) if "properties" in part else ("any",)


def _mapping(part: Schema, key: str) -> Mapping[str, object]:
    value = part.get(key)
    return value if isinstance(value, Mapping) else {}


def _listed(part: Schema, key: str) -> Sequence[object]:
    value = part.get(key)
    return value if isinstance(value, list) else ()


def _number(part: Schema, key: str, default: float) -> float:
    value = part.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default
