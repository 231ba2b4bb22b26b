"""Find the calls that a model printed into its text, and take every trace of call syntax out of what is said.

Understood: `<tool_call>` blocks (Hermes, Qwen, GLM), `<function=…>` (Llama, Qwen-Coder), `<invoke name=…>`,
`[TOOL_CALLS]` (Mistral), `<|python_tag|>` (Llama), DeepSeek's and Kimi's special tokens, the channels of gpt-oss (with
its special tokens or without), fenced or bare JSON, and `tool_name(argument="value")`. Thoughts (`<think>`, gpt-oss's
channel `analysis`) are taken out too.

Source of gpt-oss's form: https://cookbook.openai.com/articles/openai-harmony
"""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from json import JSONDecoder

from msgspec import Struct

from function_calls.printed_forms import JSON_OBJECT, calls_of_json, calls_of_markup, calls_of_python
from services.language_model.ports import RequestedCall

_THOUGHT = (
    r"(?s)<(think|thinking|reasoning)>.*?(?:</\1>|\Z)|\A(?:(?!<think).)*?</think>"
    r"|<\|channel\|>analysis<\|message\|>.*?(?:<\|end\|>|(?=<\|start\|>|<\|channel\|>)|\Z)"
)
_THOUGHT_SIGNS = ("think", "<reasoning>", "<|channel|>analysis")
# what opens a block of calls, and what closes it; the end of the text closes it too
_BLOCKS = (
    r"(?s)<(tool_calls?|function_calls?|tool_use|tools?)>(?P<body>.*?)(?:</\1>|\Z)",
    r"(?s)(?P<body><function=[^>]+>.*?(?:</function>|\Z))",
    r"(?s)(?P<body><invoke\s+name=.*?(?:</invoke>|\Z))",
    r"(?s)\[TOOL_CALLS\](?P<body>.*)",
    r"(?s)<\|python_tag\|>(?P<body>.*?)(?:<\|eom_id\|>|<\|eot_id\|>|\Z)",
    r"(?s)<[|｜]tool[_▁]calls?[_▁](?:section[_▁])?begin[|｜]>(?P<body>.*?)(?:<[|｜]tool[_▁]calls(?:[_▁]section)?[_▁]end[|｜]>|\Z)",
    r"(?s)<\|(?:start|channel)\|>[^{]{0,100}?\bto=(?P<body>[\w.-]+[^{]{0,100}\{.*?)(?:<\|(?:call|end)\|>|\Z)",
    r"(?s)\b(?:assistant)?commentary to=(?P<body>functions\.[\w-]+[^{]{0,100}\{.*)",
)
_FENCE = r"(?s)```[ \t]*([\w-]*)[ \t]*\n?(?P<body>.*?)(?:```|\Z)"
_LEFTOVERS = (
    r"(?:<\|start\|>\w+)?<\|channel\|>\w+(?:<\|constrain\|>\w+)?<\|message\|>|<\|start\|>assistant|"
    r"</?(?:tool_calls?|function_calls?|tool_use|tool_response|function|invoke|parameter)(?:[=\s][^>]*)?>"
    r"|<[|｜][^<>\s]{1,40}[|｜]>"
    r"|\[/?TOOL_CALLS\]"
)
_LONGEST_SEARCHED = 50_000  # characters; beyond it loose JSON is not looked for
_MOST_LOOKS = 16  # places at which loose JSON is tried, so that a hostile text costs no more than that
_SIGNS = ("<", "[TOOL", "{", "```", "(")


class Printed(Struct, frozen=True, kw_only=True):
    """The calls found in a text and what is left to say."""

    calls: tuple[RequestedCall, ...] = ()
    text: str = ""


def find_printed_calls(text: str, names: Collection[str]) -> Printed:
    """Calls printed in `text`; `names` are the tools on offer, which decide whether loose JSON is a call."""
    if not any(sign in text for sign in _SIGNS):
        return Printed(text=text.strip())
    calls: list[RequestedCall] = []
    rest = without_thoughts(text)
    for pattern in _BLOCKS:
        rest = _cut_out(pattern, rest, calls, names, is_certain=True)
    rest = _cut_out(_FENCE, rest, calls, names, is_certain=False)
    rest = _cut_out_json(rest, calls, names)
    rest = _cut_out_lines(rest, calls, names)
    return Printed(calls=tuple(calls), text=re.sub(_LEFTOVERS, "", rest).strip())


def without_thoughts(text: str) -> str:
    """`text` without the thoughts that a reasoning model put before its answer."""
    return re.sub(_THOUGHT, "", text) if any(sign in text for sign in _THOUGHT_SIGNS) else text


def _cut_out(pattern: str, text: str, calls: list[RequestedCall], names: Collection[str], *, is_certain: bool) -> str:
    """`text` without the blocks that `pattern` finds; one that is not certainly a call stays unless it reads as one."""

    def cut(found: re.Match[str]) -> str:
        body = found["body"]
        read = list(_read_block(body, names, is_certain=is_certain))
        calls.extend(read)
        return "" if read or is_certain else found[0]

    return re.sub(pattern, cut, text)


def _read_block(body: str, names: Collection[str], *, is_certain: bool) -> Iterator[RequestedCall]:
    read = list(calls_of_markup(body)) if is_certain else []
    read = read or list(calls_of_json(body, names, is_certain=is_certain))
    yield from read or calls_of_python(body.strip(), names)


def _cut_out_json(text: str, calls: list[RequestedCall], names: Collection[str]) -> str:
    """Take out JSON objects that stand loose in the text and name a tool on offer."""
    if len(text) > _LONGEST_SEARCHED or not any(name in text for name in names):
        return text
    kept, place = [], 0
    for found in islice(re.finditer(JSON_OBJECT, text), _MOST_LOOKS):
        if found.start() < place:
            continue
        end, read = _json_at(text, found.start(), names)
        if read:
            calls += read
            kept.append(text[place : found.start()])
            place = end
    return "".join([*kept, text[place:]])


def _json_at(text: str, start: int, names: Collection[str]) -> tuple[int, list[RequestedCall]]:
    try:
        _, end = JSONDecoder().raw_decode(text, start)
    except ValueError:
        end = len(text)  # broken off, or not JSON: only worth a look when it names a tool
    return end, list(calls_of_json(text[start:end], names, is_certain=False))


def _cut_out_lines(text: str, calls: list[RequestedCall], names: Collection[str]) -> str:
    if "(" not in text:
        return text
    kept = []
    for line in text.splitlines():
        read = list(calls_of_python(line.strip().strip("`"), names))
        calls += read
        if not read:
            kept.append(line)
    return "\n".join(kept)
