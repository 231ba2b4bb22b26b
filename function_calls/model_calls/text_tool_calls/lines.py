"""Parse calls printed as a name before an object: `name({…})`, `Action: name`, `调用工具：name，参数：{…}`."""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final

from msgspec import Struct

from function_calls.tools.catalog.offered_tools import find_name
from function_calls.tools.validation.relaxed_json import read_object

MAX_PLACES: Final = 16
"""The number of places at which calls are parsed in a text, to limit the cost of a hostile one."""

_VERBS = r"tools?|functions?|actions?|calls?|calling|invok(?:e[sd]?|ing)|us(?:e|ing)|to|the|调用|工具|函数|使用|执行"
_BETWEEN = (
    r"[\s:：,，=>(（`'\"*-]|\[CALL_ID\]\w+|\[ARGS\]|<[|｜][^<>\s]{1,40}[|｜]>|json\b|with\b|and\b|arguments?\b|args\b"
    r"|param(?:eter)?s?\b|input\b|action\b|参数|入参|为|:\d+"
)
_NAMED_OBJECT = (
    rf"(?im)^[ \t>*`\[【(_-]*+(?:functools)?(?:(?:{_VERBS})[\s_:：=\]】-]*+){{0,4}}"
    rf"(?P<name>[^\W\d][\w.-]*)(?:{_BETWEEN}){{0,12}}(?=[{{｛])"
)
_BEHIND = r"[ \t]*[)）\]】`;]*(?:\n[ \t]*```)?(?:[ \t]*</?function>)?"
_OPENING, _CLOSING = "{｛", "}｝"
_THOUGHT_LINES = r"(?im)^[ \t]*(?:thought|思考)[:：].*$\n?"
_OBSERVATION = r"(?ims)^[ \t]*(?:observation|观察)[:：].*"


class NamedObject(Struct, frozen=True, kw_only=True):
    """A call at `start` to `end` of a text."""

    start: int
    end: int
    name: str
    arguments: str


def find_named_objects(text: str, names: Collection[str]) -> Iterator[NamedObject]:
    """Yield the calls in `text` that name one of `names` before an object that can be read."""
    named = (
        (found, name)
        for found in re.finditer(_NAMED_OBJECT, text)
        if (name := find_name(found["name"], names)) is not None
    )
    for found, name in islice(named, MAX_PLACES):
        end = _end_of_object(text, found.end())
        arguments = text[found.end() : end]
        # A name with an underscore before a bracket is a call, even if truncated; validation reports the error.
        if "_" in name or read_object(arguments) is not None:
            behind = re.compile(_BEHIND).match(text, end)
            yield NamedObject(start=found.start(), end=behind.end() if behind else end, name=name, arguments=arguments)


def remove_named_objects(text: str, found: Collection[NamedObject]) -> str:
    """Return `text` without the calls `found`, and without the thought and observation lines of ReAct."""
    pieces, place = [], 0
    for call in found:
        if call.start >= place:
            pieces.append(text[place : call.start])
            place = call.end
    rest = "".join([*pieces, text[place:]])
    return re.sub(_THOUGHT_LINES, "", re.sub(_OBSERVATION, "", rest))


def _end_of_object(text: str, start: int) -> int:
    """Return the end of the object at `start`; brackets in quotation marks are ignored."""
    depth, is_quoted = 0, False
    for place in range(start, len(text)):
        letter = text[place]
        if letter == '"' and text[place - 1] != "\\":
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth -= 1
            if depth == 0:
                return place + 1
    return len(text)
