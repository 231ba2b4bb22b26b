"""Parse the three notations of printed calls: JSON, markup, and Python calls."""

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from function_calls.tools.catalog.offered_tools import find_name
from function_calls.tools.validation.relaxed_json import Unreadable, read_json
from services.language_model.ports import RequestedCall

JSON_OBJECT = r"[\[{]\s*+(?:[\[{]\s*+)?[\"'“]"

_MAX_PYTHON_LENGTH = 4000  # characters

_NAME_KEYS = ("name", "tool", "tool_name", "function_name", "function", "action", "recipient_name")
_ARGUMENT_KEYS = (
    "arguments", "parameters", "args", "params", "input", "kwargs", "tool_input", "action_input", "function_arg",
    "function_args", "function_arguments", "function_parameters", "tool_arguments", "tool_args", "tool_parameters",
)  # fmt: skip
_LIST_KEYS = ("tool_calls", "function_call", "function_calls", "tool_call", "calls", "tool_uses")
BUNDLE = "multi_tool_use.parallel"
"""A function of GPT's training for several calls at once, which it calls although it is not offered."""
_BUNDLE_NAME, _BUNDLE_KEY = BUNDLE.partition(".")[0], "tool_uses"
_NAMED = r"[\"'](?:name|tool|tool_name|function|function_name)[\"']\s*:\s*[\"'](?P<name>[\w.-]+)[\"']"
_BROKEN_ARGUMENTS = r"(?s)[\"'](?:arguments|parameters|args|params|input)[\"']\s*:\s*(?P<text>.*)"

_FUNCTION = r"(?s)<function=[\"']?(?P<name>[^>\s{(\"']+)[\"']?\s*>?(?P<body>.*?)(?:</?function>|\Z)"
_NAMED_TAG = (
    r"(?is)<(?P<tag>function|tool|tool_call|function_call)\s+name=[\"']?(?P<name>[^\"'<>]++)[\"']?\s*+>"
    r"(?P<body>.*?)(?:</(?P=tag)>|\Z)"
)
_NAME_TAG = r"(?is)<(?:name|tool_name|function_name)>(?P<name>[^<>]+)</(?:name|tool_name|function_name)>(?P<body>.*)"
_ARGUMENTS_TAG = r"(?is)<(?P<tag>arguments|parameters|args|params|input)>(?P<body>.*?)(?:</(?P=tag)>|\Z)"
_ONE_TAG = r"(?s)<(?P<key>[A-Za-z_]\w*)>(?P<value>.*)</(?P=key)>"
_OPENING_TAG = r"<([A-Za-z_]\w*)>"
_CLOSING_TAG = r"</([A-Za-z_]\w*)>"
_GEMMA_CALL = r"(?s)\bcall:(?P<name>[\w.-]+)\s*(?P<body>\{.*\})"
_INVOKE = r"(?s)<invoke\s+name=[\"']?(?P<name>[^\"'<>]++)[\"']?\s*+>(?P<body>.*?)(?:</invoke>|\Z)"
_PARAMETER = (
    r"(?s)<parameter(?:=|\s+name=)[\"']?(?P<key>[^\"'<>]++)[\"']?[^<>]*+>"
    r"(?P<value>.*?)(?:</parameter>|(?=<parameter\b)|\Z)"
)
_ARG_PAIR = r"(?s)<arg_key>(?P<key>[^<]*)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>"
_NAME_LINE = r"\A\s*(?P<name>[\w.-]+)\s*(?=<arg_key>|\Z)"
_MARKED_CALL = (
    r"(?s)(?:<[|｜]tool[_▁]call[_▁]begin[|｜]>)\s*+(?:function<[|｜]tool[_▁]sep[|｜]>)?\s*+(?:functions\.)?"
    r"(?P<name>[\w-]+)(?::\d+)?\s*(?:<[|｜]tool[_▁](?:sep|call[_▁]argument[_▁]begin)[|｜]>)?\s*"
    r"(?P<body>.*?)(?:<[|｜]tool[_▁]call[_▁]end[|｜]>|\Z)"
)
_CHANNELLED_CALL = r"(?s)\A(?P<prefix>functions\.)?(?P<name>[\w.-]+)[^{]{0,100}(?P<body>\{.*)"
_MISTRAL_CALL = r"(?s)\A\s*(?P<name>[\w.-]+)\s*+(?:\[CALL_ID\]\w*)?(?:\[ARGS\])?\s*+(?P<body>\{.*\})\s*\Z"
_PYTHON_CALL = r"(?s)\A\W{0,3}(?:await\s+|\w+\s*=\s*|print\()*(?P<name>[A-Za-z_][\w.]*)\(.*\)\W{0,2}\Z"


def calls_of_json(text: str, names: Collection[str], *, is_certain: bool) -> Iterator[RequestedCall]:
    """Yield calls written as JSON: an object, a list, or several objects in a row.

    Unless `is_certain`, an object is a call only if it names one of `names`.
    """
    for piece in _pieces(text):
        try:
            value = read_json(piece).value
        except Unreadable:
            yield from _unreadable_call(piece, names, is_certain=is_certain)
            continue
        for name, arguments in _find_calls(value, names):
            known = find_name(name, names)
            if is_certain or known is not None:
                yield _make_call(known or name, arguments)


def expand_bundles(calls: Iterable[RequestedCall], names: Collection[str]) -> Iterator[RequestedCall]:
    """Yield `calls`, with each readable `BUNDLE` replaced by its calls."""
    for call in calls:
        is_bundle = call.name not in names and _BUNDLE_NAME in call.name and _BUNDLE_KEY in call.arguments
        yield from (is_bundle and tuple(calls_of_json(call.arguments, names, is_certain=True))) or (call,)


def calls_of_markup(body: str, names: Collection[str]) -> Iterator[RequestedCall]:
    """Yield calls written as `<function=…>`, `<invoke …>`, key and value tags, or between special tokens."""
    for pattern in (_FUNCTION, _NAMED_TAG, _INVOKE):
        for found in re.finditer(pattern, body):
            yield _make_call(found["name"].strip(), _parse_body(found["body"]))
    for found in re.finditer(_MARKED_CALL, body):
        yield _make_call(found["name"], _remove_fence(found["body"]))
    for found in _find_up_to("}", _GEMMA_CALL, body):
        yield _make_call(found["name"], found["body"].replace("<escape>", '"'))
    named = re.search(_NAME_LINE, body)
    if named is not None and ("<arg_key>" in body or find_name(body.strip(), names)):
        yield _make_call(named["name"], _values(_find_up_to("</arg_value>", _ARG_PAIR, body)))
    together = re.search(_MISTRAL_CALL, body)
    channelled = re.search(_CHANNELLED_CALL, body)
    if together is None and channelled and (channelled["prefix"] or find_name(channelled["name"], names)):
        together = channelled
    if together is not None:
        yield _make_call(together["name"], together["body"])
    yield from _calls_of_tags(body.strip(), names)


def _calls_of_tags(body: str, names: Collection[str]) -> Iterator[RequestedCall]:
    """Yield the call whose name is a tag, or is between tags."""
    named = re.match(_NAME_TAG, body)
    if named is not None:
        inner = re.search(_ARGUMENTS_TAG, named["body"])
        yield _make_call(named["name"].strip(), _parse_body(inner["body"] if inner else named["body"]))
        return
    tag = re.fullmatch(_ONE_TAG, body)
    if tag is not None and tag["key"] in names:
        yield _make_call(tag["key"], _parse_body(tag["value"]))


def calls_of_python(text: str, names: Collection[str]) -> Iterator[RequestedCall]:
    """Yield calls of `names` written in Python as `name(key="value")`, alone, in a list or in lines."""
    if len(text) > _MAX_PYTHON_LENGTH or not re.search(_PYTHON_CALL, text):
        return
    try:
        lines = ast.parse(text.strip("`;，。 \n")).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    read = [_read_node(node, names) for line in lines for node in _nodes(line)]
    yield from [call for call in read if call is not None]


def _nodes(line: ast.stmt) -> list[ast.expr]:
    """Return the expressions of a line without surrounding `await`, `print` or assignment."""
    node = line.value if isinstance(line, ast.Expr | ast.Assign) else None
    while True:
        if isinstance(node, ast.Await):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print" and node.args:
            node = node.args[0]
        else:
            break
    return node.elts if isinstance(node, ast.List | ast.Tuple) else [] if node is None else [node]


def _read_node(node: ast.expr, names: Collection[str]) -> RequestedCall | None:
    if not isinstance(node, ast.Call):
        return None
    name = find_name(_function_name(node), names)
    arguments = None if name is None else _literals(node)
    try:
        return None if name is None or arguments is None else _make_call(name, arguments)
    except (TypeError, ValueError):  # no JSON: another key than a text, or a number of thousands of digits
        return None


def _pieces(text: str) -> list[str]:
    """Return the consecutive JSON values in `text`; the text itself when they cannot be separated."""
    decoder, place = json.JSONDecoder(), 0
    pieces: list[str] = []
    body = text.strip().rstrip(";")
    while place < len(body):
        try:
            _, end = decoder.raw_decode(body, place)
        except (ValueError, RecursionError):
            return [*pieces, body[place:]] if pieces else [_remove_fence(body)]
        pieces.append(body[place:end])
        place = end
        while place < len(body) and body[place] in " \t\r\n,;":
            place += 1
    return pieces


def _find_calls(value: object, names: Collection[str]) -> Iterator[tuple[str, object]]:
    """Yield name and arguments of the calls in a parsed value, inside of any wrapper."""
    if isinstance(value, list):
        for entry in value:
            yield from _find_calls(entry, names)
    elif isinstance(value, dict):
        listed = next((value[key] for key in _LIST_KEYS if isinstance(value.get(key), list | dict)), None)
        if listed is not None:
            yield from _find_calls(listed, names)
        else:
            yield from _one_call(value, names)


def _one_call(value: Mapping[str, object], names: Collection[str]) -> Iterator[tuple[str, object]]:
    inner = value.get("function")
    if isinstance(inner, dict):
        beside = {key: value[key] for key in _ARGUMENT_KEYS if key in value}
        yield from _one_call({**beside, **inner}, names)
        return
    key = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    given = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if isinstance(given, dict) and _BUNDLE_KEY in given and key is not None and _BUNDLE_NAME in str(value[key]):
        yield from _find_calls(given, names)
    elif key is not None:
        name = str(value[key])
        is_call = len(value) == 1 or any(argument in value for argument in _ARGUMENT_KEYS)  # null: no arguments
        if is_call:
            yield name, {} if given is None else given
        elif key != "name" and name in names:  # the arguments are beside the name
            yield (
                name,
                {argument_name: value[argument_name] for argument_name in value if argument_name not in (key, "id")},
            )
    elif len(value) == 1:
        (only,) = value
        if only in names and isinstance(value[only], dict):
            yield only, value[only]


def _unreadable_call(text: str, names: Collection[str], *, is_certain: bool) -> Iterator[RequestedCall]:
    """Yield a call with unreadable JSON, whose arguments validation refuses with the position of the error."""
    named = re.search(_NAMED, text)
    if named is None or not (is_certain or find_name(named["name"], names)):
        return
    arguments = re.search(_BROKEN_ARGUMENTS, text)
    if arguments is not None:
        yield _make_call(named["name"], arguments["text"].strip())


def _parse_body(body: str) -> object:
    given = _values(re.finditer(_PARAMETER, body))
    if given or not body.strip():
        return given
    if body.lstrip()[:1] == "<":
        return {key: _value(value.strip()) for key, value in _find_tags(body)}
    held = re.fullmatch(r"(?s)\s*\((.*)\)\s*", body)
    return held[1] if held else body.strip()


def _find_up_to(end: str, pattern: str, body: str) -> Iterator[re.Match[str]]:
    """Find `pattern`, which ends in `end`, before the last `end`; behind it each search would read the whole rest."""
    return re.compile(pattern).finditer(body, 0, body.rfind(end) + len(end))


def _find_tags(body: str) -> Iterator[tuple[str, str]]:
    """Yield the names and contents of the tags in `body` that are closed, in linear time."""
    last_ends = {found[1]: found.start() for found in re.finditer(_CLOSING_TAG, body)}
    place = 0
    for found in re.finditer(_OPENING_TAG, body):
        if found.start() >= place and last_ends.get(found[1], 0) >= found.end():
            closing = f"</{found[1]}>"
            end = body.index(closing, found.end())
            yield found[1], body[found.end() : end]
            place = end + len(closing)


def _values(found: Iterator[re.Match[str]]) -> dict[str, object]:
    return {match["key"].strip(): _value(match["value"].strip()) for match in found}


def _value(text: str) -> object:
    """Parse a value between tags: an object or list as JSON, any other as text, which validation may convert."""
    if text[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _remove_fence(text: str) -> str:
    fenced = re.match(r"\s*```[\w-]*", text)
    return text[fenced.end() :].strip().removesuffix("```").rstrip() if fenced else text.strip()


def _function_name(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr == "call":  # Llama's name.call(…)
        function = function.value
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _literals(call: ast.Call) -> dict[str, object] | None:
    given: dict[str, object] = {}
    if call.args:
        return None
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        try:
            given[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError):  # no literal, or a list as a key
            return None
    return given


def _make_call(name: str, arguments: object) -> RequestedCall:
    if isinstance(arguments, str):
        return RequestedCall(id="", name=name, arguments=arguments)
    return RequestedCall(id="", name=name, arguments=json.dumps(arguments, ensure_ascii=False, default=str))
