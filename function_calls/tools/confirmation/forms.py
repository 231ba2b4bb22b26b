"""Ask the questions of a form one by one, and parse the answers."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.recognized_phrases import folded
from function_calls.tools.calls import Form, InputRequest
from function_calls.tools.confirmation.yes_no import parse_pick, parse_yes_no
from function_calls.tools.errors import ArgumentError, ArgumentsInvalid, SchemaInvalid
from function_calls.tools.validation.repair import repair
from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.tools.validation.schema_walk import required_of
from services.time_expressions import parse

_SECRETS: Final = re.compile(
    r"passw|passcode|secret|token|api.?key|private.?key|credential|cvv|\bpin\b|密码|口令|密钥", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"[,，、;；\n]| and | y |和")
_MAX_OTHER_CHARACTERS: Final = 4  # characters beside a date, as in "on Friday."
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Question(Struct, frozen=True, kw_only=True):
    """A question of a form: for the field `name` of `request`, or for agreement if `name` is empty."""

    request: InputRequest
    name: str = ""

    @property
    def schema(self) -> Mapping[str, object]:
        """The schema of the field."""
        return self.request.properties.get(self.name, {})

    @property
    def is_first(self) -> bool:
        """Return whether it is the first question of its request."""
        return self.name == next(iter(self.request.properties), "")

    @property
    def is_required(self) -> bool:
        """Return whether the field is required."""
        return not self.name or self.name in required_of(self.request.schema)

    @property
    def label(self) -> str:
        """The title of the field."""
        return str(self.schema.get("title") or self.name)

    @property
    def is_yes_no(self) -> bool:
        """Return whether the answer is yes or no."""
        return not self.name or self.schema.get("type") == "boolean"

    @property
    def is_several(self) -> bool:
        """Return whether several options may be chosen."""
        return self.schema.get("type") == "array"

    @property
    def options(self) -> Mapping[str, str]:
        """The labels of the possible values; empty if any value is possible."""
        items = self.schema.get("items")
        part = items if self.is_several and isinstance(items, Mapping) else self.schema
        titled = part.get("oneOf") or part.get("anyOf")
        if isinstance(titled, list):
            arms = [arm for arm in titled if isinstance(arm, Mapping) and "const" in arm]
            return {str(arm["const"]): str(arm.get("title") or arm["const"]) for arm in arms}
        values, names = part.get("enum"), part.get("enumNames")
        if not isinstance(values, list):
            return {}
        labels = names if isinstance(names, list) and len(names) == len(values) else values
        return {str(value): str(label) for value, label in zip(values, labels, strict=True)}

    @property
    def is_free_text(self) -> bool:
        """Return whether the answer may be any text."""
        narrow = {"enum", "oneOf", "pattern", "format"} & set(self.schema)
        return self.schema.get("type", "string") == "string" and not self.is_yes_no and not narrow


def next_question(form: Form) -> Question | None:
    """Return the next question of `form`; None if it is complete or declined."""
    for request in () if form.is_declined else form.requests:
        given = form.answers.get(request.key)
        if given is None and not request.properties:
            return Question(request=request)
        for name in request.properties:
            if name not in (given or {}):
                return Question(request=request, name=name)
    return None


def with_answer(form: Form, question: Question, value: object) -> Form:
    """Return `form` with `value` as the answer to `question`; None omits the field."""
    if not question.name:
        return replace(form, answers=form.answers | {question.request.key: {}}, is_declined=value is not True)
    given = form.answers.get(question.request.key, {}) | {question.name: value}
    return replace(form, answers=form.answers | {question.request.key: given})


def is_safe(form: Form) -> bool:
    """Return whether `form` may be asked in a chat: without fields for secrets and with HTTPS addresses."""
    return all(_is_safe(request) for request in form.requests)


class NoAnswer(Struct, frozen=True, kw_only=True):
    """A text that is no valid answer; `errors` are the violations of the schema, if it is similar to an answer."""

    errors: tuple[ArgumentError, ...] = ()


def parse_answer(question: Question, text: str, bot_name: str, now: datetime) -> object:
    """Parse `text` as the answer to `question`; return `NoAnswer` if it is none.

    Dates may be relative to `now`, which is timezone-aware in the zone of the person.
    """
    if question.is_yes_no:
        is_yes = parse_yes_no(text, bot_name)
        return NoAnswer() if is_yes is None else is_yes
    if question.options:
        texts = [part for part in _BETWEEN.split(text) if part.strip()] if question.is_several else [text]
        chosen = [_find_option(question.options, chosen_text, bot_name) for chosen_text in texts]
        if not chosen or None in chosen:
            return NoAnswer()
        return _convert(question, list(dict.fromkeys(chosen)) if question.is_several else chosen[0])
    return _convert(question, _date(question.schema.get("format"), text, now) or text)


def _date(kind: object, text: str, now: datetime) -> str:
    """Parse a date, or date and time, to ISO 8601; return an empty text if there is none or other text."""
    if kind not in {"date", "date-time"}:
        return ""
    found = parse(text, now)
    if not found.readings:
        found = parse(text, now, future=False)
    if not found.readings or found.ambiguous:
        return ""
    reading = found.readings[0]
    rest = len(text.strip()) - sum(end - start for start, end in reading.spans)
    if rest > _MAX_OTHER_CHARACTERS or reading.rrule is not None or (kind == "date-time" and not reading.has_clock):
        return ""
    return reading.start.date().isoformat() if kind == "date" else reading.start.isoformat()


def _convert(question: Question, value: object) -> object:
    """Convert `value` to the type of the field; return `NoAnswer` if it violates the schema."""
    kind = {key: question.schema[key] for key in ("type", "items") if key in question.schema}
    try:
        repaired = repair({question.name: value}, _validator(question.name, kind)).arguments
        errors = _validator(question.name, question.schema).validate(repaired)
    except ArgumentsInvalid as error:
        return NoAnswer(errors=error.errors)
    except SchemaInvalid:
        return value
    return NoAnswer(errors=tuple(errors)) if errors else repaired[question.name]


def _validator(name: str, schema: Mapping[str, object]) -> SchemaValidator:
    return SchemaValidator(
        {"type": "object", "properties": {name: dict(schema)}, "required": [name]}, check_formats=True
    )


def _find_option(options: Mapping[str, str], text: str, bot_name: str) -> str | None:
    """Return the value of the option with this number, label or value."""
    words = folded(text).strip(" .。")
    for value, label in options.items():
        if words in {folded(value), folded(label)}:
            return value
    places = {str(place): value for place, value in enumerate(options, start=1)}
    return places.get(words, places.get(parse_pick(text, bot_name)))


def _is_safe(request: InputRequest) -> bool:
    if request.url:
        try:
            address = urlsplit(request.url)
        except ValueError:
            return False
        return address.scheme == "https" or (address.scheme == "http" and address.hostname in _LOOPBACK)
    return not any(_SECRETS.search(text) for text in _names(request))


def _names(request: InputRequest) -> Iterable[str]:
    for name, schema in request.properties.items():
        yield name
        yield str(schema.get("title", ""))
