"""Convert values to the types of a schema where that is unambiguous.

Only values that do not fit are changed, and every change is reported. A text with a number becomes the number, a name
in another case or language becomes the enum member, and a list of one item becomes the item.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

from function_calls.tools.validation.argument_errors import pointer, quote
from function_calls.tools.validation.relaxed_json import Unreadable, read_json
from function_calls.tools.validation.schema_validator import SchemaValidator, names_all_members
from function_calls.tools.validation.schema_walk import Schema, required_of, types_of

_BOOLEANS: Final = {"true": True, "false": False, "yes": True, "no": False, "是": True, "否": False}
_NUMBER: Final = re.compile(r"[-+]?[0-9]{1,18}(\.[0-9]{1,18})?", re.ASCII)
_NOTHING: Final = frozenset({"", "null", "none", "nil", "undefined"})


class _Choice(Struct, frozen=True):
    """The conversion of `value`, which is kept so that no other object has its id, and the steps."""

    value: object
    candidate: object
    steps: list[str]


class Coercion(Struct, kw_only=True):
    """One pass over one call's arguments; `steps` collects the changes."""

    schema: SchemaValidator
    steps: list[str] = field(default_factory=list)
    chosen: dict[tuple[int, int, str], _Choice] = field(default_factory=dict)
    """The conversions by alternatives: without them, those of a recursive type take exponential time."""

    def coerce(self, part: Schema, value: object, place: str) -> object:
        """Convert `value` to fit `part`; return it unchanged where that is ambiguous."""
        part = self.schema.resolve(part)
        arms = [arm for key in ("anyOf", "oneOf") for arm in _schemas(part.get(key))]
        if arms and not isinstance(part.get("properties"), dict):
            return self._by_arm(part, arms, value, place)
        wanted = types_of(part)
        if isinstance(value, dict) and (not wanted or "object" in wanted):
            return self._members(part, value, place)
        if isinstance(value, list) and (not wanted or "array" in wanted):
            return self._items(part, value, place)
        if self.schema.part_accepts(part, value):
            return value
        for candidate, step in self._readings(part, value, wanted):
            if self.schema.part_accepts(part, candidate):
                self.steps.append(f"{place or 'arguments'}: {step}")
                return candidate
        return value

    def _by_arm(self, part: Schema, arms: list[Schema], value: object, place: str) -> object:
        """Return the only conversion that an alternative accepts, else the value unchanged."""
        if self.schema.part_accepts(part, value):
            return value
        key = (id(part), id(value), place)
        choice = self.chosen.get(key)
        if choice is None:
            choice = self.chosen[key] = self._choose(part, arms, value, place)
        self.steps += choice.steps
        return choice.candidate

    def _choose(self, part: Schema, arms: list[Schema], value: object, place: str) -> _Choice:
        readings: list[_Choice] = []
        for arm in arms:
            correction = Coercion(schema=self.schema, chosen=self.chosen)
            candidate = correction.coerce(arm, value, place)
            if self.schema.part_accepts(part, candidate) and all(candidate != other.candidate for other in readings):
                readings.append(_Choice(value, candidate, correction.steps))
        return readings[0] if len(readings) == 1 else _Choice(value, value, [])

    def _members(self, part: Schema, value: dict[str, object], place: str) -> object:
        properties = part.get("properties")
        if not isinstance(properties, dict):
            return value
        renamed = self._rename(properties, value, place)
        required = required_of(part)
        is_listed = self.schema.is_closable and names_all_members(part)
        members: dict[str, object] = {}
        for name, inner in renamed.items():
            node = properties.get(name)
            here = f"{place}{pointer([name])}"
            is_unknown = is_listed and name not in properties
            is_optional = name not in required and isinstance(node, dict) and not self.schema.part_accepts(node, None)
            if inner is None and (is_unknown or is_optional):
                self.steps.append(f"{here}: took null for 'not given'")
            else:
                members[name] = self.coerce(node, inner, here) if isinstance(node, dict) else inner
        return members

    def _rename(self, properties: dict[str, object], value: dict[str, object], place: str) -> dict[str, object]:
        """Rename members in another case or script, `dueDate` for `due_date`, unless that argument is given too."""
        if value.keys() <= properties.keys():
            return value
        forms: dict[str, list[str]] = {}
        for name in properties:
            forms.setdefault(name_form(name), []).append(name)
        members: dict[str, object] = {}
        for name, inner in value.items():
            same = forms.get(name_form(name), []) if name not in properties else []
            if len(same) == 1 and same[0] not in value and same[0] not in members:
                self.steps.append(f"{place}{pointer([same[0]])}: was named {quote(name)}")
                members[same[0]] = inner
            else:
                members[name] = inner
        return members

    def _items(self, part: Schema, value: list[object], place: str) -> object:
        items = part.get("items")
        if not isinstance(items, dict):
            return value
        return [self.coerce(items, inner, f"{place}/{at}") for at, inner in enumerate(value)]

    def _readings(self, part: Schema, value: object, wanted: list[str]) -> Iterator[tuple[object, str]]:
        """Yield conversions of a scalar with their descriptions; the caller checks that they fit."""
        if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list):
            yield value[0], "took the only item of the list"
        if isinstance(value, str):
            yield from self._enum_readings(part, value)
            yield from _text_readings(value, wanted)
            if "object" in wanted or "array" in wanted:
                yield from self._inner_json(part, value)
        elif isinstance(value, int) and not isinstance(value, bool) and "string" in wanted:
            yield str(value), "wrote the number as a text"

    def _enum_readings(self, part: Schema, value: str) -> Iterator[tuple[object, str]]:
        found = enum_member(part, value)
        if found is not None:
            yield found, f"read {quote(value)} as {quote(found)}"

    def _inner_json(self, part: Schema, value: str) -> Iterator[tuple[object, str]]:
        """Yield the object or list that a text holds as JSON."""
        if value.lstrip()[:1] not in {"{", "["}:
            return
        try:
            inner = read_json(value).value
        except Unreadable:
            return
        yield Coercion(schema=self.schema).coerce(part, inner, ""), "read the text as the JSON it holds"


def name_form(name: str) -> str:
    """Normalise a name without case, width, separators and invisible characters: `dueDate` equals `due_date`."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


def enum_member(part: Schema, value: str) -> object:
    """Return the only enum value with the name `value` in any case, or with this alias; None otherwise.

    Aliases are in descriptions of the values (`daily=每天`).
    """
    values = [part["const"]] if "const" in part else part.get("enum")
    if not isinstance(values, list):
        return None
    form = name_form(value)
    if not form:
        return None
    same: set[object] = {member for member in values if isinstance(member, str) and name_form(member) == form}
    same |= {member for member in values if isinstance(member, int) and str(member) == form}
    if not same:
        same = {member for alias, member in _aliases(part, values) if name_form(alias) == form}
    return same.pop() if len(same) == 1 else None


def _aliases(part: Schema, values: list[object]) -> Iterator[tuple[str, object]]:
    description = part.get("description")
    if not isinstance(description, str):
        return
    for member in values:
        explained = re.search(rf"(?<![\w-]){re.escape(str(member))}\s*[=＝:：]\s*([^,，;；、。|\n]+)", description)
        for alias in re.split(r"[()（）/]", explained[1]) if explained else ():
            yield alias, member


def _text_readings(value: str, wanted: list[str]) -> Iterator[tuple[object, str]]:
    plain = unicodedata.normalize("NFKC", value).strip().strip("\u200b\u200c\u200d\u2060\ufeff")
    word = plain.casefold()
    is_number = bool(_NUMBER.fullmatch(plain))
    if is_number and "integer" in wanted:
        number = float(plain) if "." in plain else int(plain)
        if number == int(number):
            yield int(number), "read the text as an integer"
    if is_number and "number" in wanted:
        yield (float(plain) if "." in plain else int(plain)), "read the text as a number"
    if "boolean" in wanted and word in _BOOLEANS:
        yield _BOOLEANS[word], f"read {quote(value)} as {json.dumps(_BOOLEANS[word])}"
    if "null" in wanted and word in _NOTHING:
        yield None, f"read {quote(value)} as null"


def _schemas(arms: object) -> list[Schema]:
    return [arm for arm in arms if isinstance(arm, dict)] if isinstance(arms, list) else []
