"""Request calls as enforced JSON, for servers with grammars and without working native calls.

The answer is one flat object with the tool's name, or `none`, and its arguments. Worked examples precede the message.
The history is omitted, because small models repeat old requests.
"""

import json
from collections.abc import Mapping, Sequence

from function_calls.model_calls.prompts import WorkedExample, fill, prompt, worked_examples
from function_calls.model_calls.styles.prompt_style import ChoiceStyle, correction_messages
from function_calls.model_calls.styles.style import CallCorrection, ModelReply, read_text
from function_calls.model_calls.text_tool_calls.thoughts import remove_thoughts
from function_calls.model_calls.transcript import Instructions, Message
from function_calls.tools.calls import ToolSpec, Turn
from function_calls.tools.catalog.offered_tools import OfferedTools
from function_calls.tools.validation.relaxed_json import read_object
from function_calls.tools.validation.schema import inline_refs
from function_calls.tools.validation.schema_walk import Schema, map_schemas, properties_of, required_of
from services.kernel.bounded import IdentityCache
from services.language_model.ports import Completion, CompletionRequest, RequestedCall

KEY = "tool"
NONE = "none"
_MAX_PREPARED_PROMPTS = 16


class JsonRouterStyle(ChoiceStyle):
    """Requests the choice of a tool by `response_format`."""

    def __init__(self, instructions: Instructions) -> None:
        super().__init__(instructions)
        self._prepared: IdentityCache[_Prepared] = IdentityCache(_MAX_PREPARED_PROMPTS)

    def request(self, turn: Turn, tools: OfferedTools, corrections: Sequence[CallCorrection]) -> CompletionRequest:
        """Return the request for the choice of a tool, or for text after results."""
        if not self.is_choice_only(turn):
            return self.text_request(turn)
        prepared = self._prepared.get((tools,), lambda: _Prepared(tools, self._instructions, turn.bot_name))
        messages: list[Message] = [*prepared.prefix, {"role": "user", "content": self._instructions.user_content(turn)}]
        for correction in corrections:
            messages += correction_messages(correction)
        response_format = prepared.forced_format if turn.must_call else prepared.response_format
        return CompletionRequest(messages=messages, response_format=response_format)

    def read(self, turn: Turn, completion: Completion, tools: OfferedTools) -> ModelReply:
        """Parse the call in the JSON object, or the text."""
        if not self.is_choice_only(turn):
            return read_text(completion, tools)
        chosen = read_object(remove_thoughts(completion.text).strip()) or {}
        name = chosen.pop(KEY, NONE)
        if not isinstance(name, str) or name == NONE:
            return ModelReply()
        return ModelReply(calls=(RequestedCall(id="", name=name, arguments=json.dumps(chosen, ensure_ascii=False)),))


class _Prepared:
    """The shared parts of requests for one set of tools."""

    def __init__(self, tools: OfferedTools, instructions: Instructions, bot_name: str) -> None:
        listed = "\n".join([*map(_describe, tools.specs), *([tools.further] if tools.further else [])])
        if instructions.is_of_agent:
            variables = {"TOOLS": listed, "INSTRUCTIONS": instructions.system(bot_name)}
            system = fill(prompt("json_router_agent"), variables).lstrip()
        else:
            system = fill(prompt("json_router"), {"TOOLS": listed})
        fitting = [example for example in worked_examples() if example.tool in (*tools.by_name, NONE)]
        shown = [] if instructions.is_of_agent else fitting
        self.prefix: list[Message] = [
            {"role": "system", "content": system},
            *(message for example in shown for message in _example_messages(example)),
        ]
        branches = [_branch(spec) for spec in tools.specs]
        self.forced_format = _format(branches)
        self.response_format = _format([*branches, _object({KEY: {"const": NONE}}, [KEY])])


def _format(branches: list[dict[str, object]]) -> dict[str, object]:
    return {"type": "json_schema", "json_schema": {"name": "call", "schema": {"anyOf": branches}}}


def _branch(spec: ToolSpec) -> dict[str, object]:
    """Return the schema of one flat object: the tool's name and its arguments side by side.

    The descriptions of the arguments are in the prompt. A part that contains itself is any value.
    """
    parameters = map_schemas(inline_refs(spec.parameters), _without_reference)
    properties = {KEY: {"const": spec.name}, **{name: _bare(each) for name, each in properties_of(parameters).items()}}
    return _object(properties, [KEY, *required_of(parameters)])


def _without_reference(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "$ref"}


def _bare(schema: object) -> object:
    if not isinstance(schema, Mapping):
        return schema
    return {key: value for key, value in schema.items() if key != "description"}


def _object(properties: Mapping[str, object], required: Sequence[object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _describe(spec: ToolSpec) -> str:
    properties = properties_of(spec.parameters)
    head = f"- {spec.name}({', '.join(properties)}): {spec.description}"
    lines = [
        f"  {name}: {schema.get('description') or schema.get('type') or 'any value'}"
        for name, schema in properties.items()
        if isinstance(schema, Mapping)
    ]
    examples = [f"  means it: {sentence}" for sentence in spec.examples[:3]]
    return "\n".join([head, *lines, *examples])


def _example_messages(example: WorkedExample) -> list[Message]:
    answer = json.dumps({KEY: example.tool, **example.arguments}, ensure_ascii=False)
    return [{"role": "user", "content": example.sentence}, {"role": "assistant", "content": answer}]
