"""Find the calls that a model printed in its text, and remove all call syntax from the text.

Supported: `<tool_call>` blocks (Hermes, Qwen, GLM, MiniMax, Seed), `<function=…>` (Llama, Qwen-Coder),
`<invoke name=…>` (also under a namespace, and DeepSeek's DSML), `<tool_name>` itself as a tag,
`[TOOL_CALLS]` (Mistral), `<|python_tag|>` (Llama), the special tokens of DeepSeek, Kimi, Cohere, Phi and Gemma, the
channels of gpt-oss (with its special tokens or without), fenced or bare JSON, a name before an object (ReAct, Groq),
and `tool_name(argument="value")`, also in Gemini's `tool_code`.

Source of gpt-oss's form: https://cookbook.openai.com/articles/openai-harmony
"""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from json import JSONDecoder

from msgspec import Struct

from function_calls.model_calls.text_tool_calls.lines import MAX_PLACES, find_named_objects, remove_named_objects
from function_calls.model_calls.text_tool_calls.notations import (
    BUNDLE,
    JSON_OBJECT,
    calls_of_json,
    calls_of_markup,
    calls_of_python,
    expand_bundles,
)
from function_calls.model_calls.text_tool_calls.thoughts import remove_echoes, remove_thoughts, remove_tokens
from services.language_model.ports import RequestedCall

# The opening and closing marks of a block of calls; the end of the text closes it too.
_BLOCKS = (
    r"(?is)<(tool_?calls?|function_calls?|tool[_-]use|tools?)>(?P<body>.*?)(?:</\1>|\Z)",
    r"(?is)(?P<body><(?P<tag>function|tool|tool_call|function_call)\s+name=.*?(?:</(?P=tag)>|\Z))",
    r"(?s)(?P<body><function=.+?(?:</?function>|\Z))",
    r"(?s)(?P<body><invoke\s+name=.*?(?:</invoke>|\Z))",
    r"(?s)<start_function_call>(?P<body>.*?)(?:<end_function_call>|\Z)",
    r"(?s)\[TOOL_CALLS\](?P<body>.*?)(?=\[TOOL_CALLS\]|</s>|\Z)",
    r"(?s)<\|python_tag\|>(?P<body>.*?)(?:<\|eom_id\|>|<\|eot_id\|>|\Z)",
    r"(?s)<[|｜]tool[_▁]calls[_▁](?:section[_▁])?begin[|｜]>(?P<body>.*?)(?:<[|｜]tool[_▁]calls(?:[_▁]section)?[_▁]end[|｜]>|\Z)",
    r"(?s)(?P<body><[|｜]tool[_▁]call[_▁]begin[|｜]>.*?(?:<[|｜]tool[_▁]call[_▁]end[|｜]>|\Z))",
    r"(?s)<\|(?:start|channel)\|>[^{]{0,100}?\bto=(?P<body>[\w.-]+[^{]{0,100}\{.*?)(?:<\|(?:call|end)\|>|\Z)",
    r"(?s)\b(?:assistant)?commentary to=(?P<body>functions\.[\w-]+[^{]{0,100}\{.*)",
)
_FENCE = (
    r"(?s)(?:(?m:^[ \t]*(?:Action|Tool calls?|Function calls?)[:：])|(?<!\s))\s*"
    r"```[ \t]*([\w-]*)[ \t]*\n?(?P<body>.*?)(?:```|\Z)"
)
# A namespace or DeepSeek's mark before a tag, and an escaped tag.
_TAG = r"(?:tool_?calls?|function_calls?|invoke|parameter)"
_NAMESPACE = rf"(?i)<(/?)(?:\w+:|[|｜]DSML[|｜])(?={_TAG}\b)"
_ESCAPED_TAG = rf"(?i)&lt;(/?{_TAG}[^&<>]*)&gt;"
_EMPTY_FENCE = r"(?m)^[ \t]*```[\w-]*\s*```[ \t]*$"
# An answer that only states that there is no call or text.
_NOTHING = (
    r"(?is)null|undefined|\{\s*\}|\[\s*\]|\"\"|''|[.…]{2,}|"
    r"\{\s*[\"'](?:tool_calls|function_calls?|calls|tools?|name|action)[\"']\s*:"
    r"\s*(?:\[\s*\]|null|none|\{\s*\}|[\"'](?:none|null|no_tool)?[\"'])\s*(?:,\s*[\"']\w+[\"']\s*:\s*(?:\{\s*\}|null)\s*)?\}"
)
_OWN_ROLE = r"(?i)(?:assistant|助手)\s*[:：]\s*"
_OTHER_ROLES = r"(?ims)^[ \t]*(?:user|human|system|用户)\s*[:：].*"
_MAX_SEARCHED_LENGTH = 50_000  # characters; longer texts are not searched for loose JSON
_SIGNS = ("<", "[T", "{", "```", "(", "[INST", "◁", "analysis")


class TextCalls(Struct, frozen=True, kw_only=True):
    """The calls found in a text, and the remaining text."""

    calls: tuple[RequestedCall, ...] = ()
    text: str = ""


def find_text_calls(text: str, names: Collection[str]) -> TextCalls:
    """Return the calls printed in `text`; loose JSON is a call only of an offered tool, one of `names`."""
    bare = text.strip().strip("`*().")
    if "_" in bare and bare in names:
        return TextCalls(calls=(RequestedCall(id="", name=bare, arguments=""),))
    if not any(sign in text for sign in _SIGNS):
        return TextCalls(text=_answer_part(text))
    calls: list[RequestedCall] = []
    rest = remove_echoes(_normalize_tags(remove_thoughts(text)))
    for pattern in _BLOCKS:
        rest = _cut_out(pattern, rest, calls, (*names, BUNDLE), is_certain=True)
    if BUNDLE in rest:
        rest = _cut_out_named_objects(rest, calls, (BUNDLE,))
    rest = _cut_out_tags_of_tools(rest, calls, names)
    rest = _cut_out(_FENCE, rest, calls, names, is_certain=False)
    rest = _cut_out_json(rest, calls, names)
    rest = _cut_out_lines(_cut_out_named_objects(rest, calls, names), calls, names)
    rest = re.sub(_EMPTY_FENCE, "", remove_tokens(rest))
    return TextCalls(calls=tuple(expand_bundles(calls, names)), text=_answer_part(rest))


def _answer_part(text: str) -> str:
    """Return `text` without the other roles of a dialogue; empty if it only states that there is nothing."""
    text = text.strip()
    if re.fullmatch(_NOTHING, text):
        return ""
    role = re.match(_OWN_ROLE, text)
    return text if role is None else re.sub(_OTHER_ROLES, "", text[role.end() :]).strip()


def _normalize_tags(text: str) -> str:
    """Remove namespaces and escapes from the tags of calls."""
    if "&lt;" in text:
        text = re.sub(_ESCAPED_TAG, r"<\1>", text)
    return re.sub(_NAMESPACE, r"<\1", text) if "<" in text else text


def _cut_out(pattern: str, text: str, calls: list[RequestedCall], names: Collection[str], *, is_certain: bool) -> str:
    """Return `text` without the blocks of `pattern`; unless `is_certain`, blocks that are no calls stay."""

    def cut(found: re.Match[str]) -> str:
        body = found["body"]
        read = list(_read_block(body, names, is_certain=is_certain))
        calls.extend(read)
        return "" if read or is_certain else found[0]

    return re.sub(pattern, cut, text)


def _read_block(body: str, names: Collection[str], *, is_certain: bool) -> Iterator[RequestedCall]:
    read = list(calls_of_markup(body, names)) if is_certain else []
    read = read or list(calls_of_json(body, names, is_certain=is_certain))
    yield from read or calls_of_python(body.strip(), names)


def _cut_out_tags_of_tools(text: str, calls: list[RequestedCall], names: Collection[str]) -> str:
    """Remove `<reminder_set>…</reminder_set>`; a name of one word may be another tag."""
    for name in names if "</" in text else ():
        if "_" in name and f"<{name}>" in text:
            text = _cut_out(
                rf"(?s)(?P<body><{re.escape(name)}>.*?(?:</{re.escape(name)}>|\Z))", text, calls, names, is_certain=True
            )
    return text


def _cut_out_named_objects(text: str, calls: list[RequestedCall], names: Collection[str]) -> str:
    if len(text) > _MAX_SEARCHED_LENGTH or not ("{" in text or "｛" in text):
        return text
    found = list(find_named_objects(text, names))
    calls += [RequestedCall(id="", name=named.name, arguments=named.arguments) for named in found]
    return remove_named_objects(text, found) if found else text


def _cut_out_json(text: str, calls: list[RequestedCall], names: Collection[str]) -> str:
    """Remove JSON objects in the text that name an offered tool."""
    if len(text) > _MAX_SEARCHED_LENGTH or "{" not in text:
        return text
    pieces, place = [], 0
    for found in islice(re.finditer(JSON_OBJECT, text), MAX_PLACES):
        if found.start() < place:
            continue
        end, read = _json_at(text, found.start(), names)
        if read:
            calls += read
            pieces.append(text[place : found.start()].removesuffix("functools"))
            place = end
    return "".join([*pieces, text[place:]])


def _json_at(text: str, start: int, names: Collection[str]) -> tuple[int, list[RequestedCall]]:
    try:
        _, end = JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        end = len(text)  # truncated, or not JSON
    return end, list(calls_of_json(text[start:end], names, is_certain=False))


def _cut_out_lines(text: str, calls: list[RequestedCall], names: Collection[str]) -> str:
    if "(" not in text:
        return text
    lines = []
    for line in text.splitlines():
        read = list(calls_of_python(line.strip().strip("`"), names))
        calls += read
        if not read:
            lines.append(line)
    return "\n".join(lines)
