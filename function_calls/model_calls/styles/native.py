"""Request calls with the chat-completions API's own `tool_calls`."""

import json
from collections.abc import Sequence

from function_calls.model_calls.styles.style import CallCorrection, ModelReply
from function_calls.model_calls.text_tool_calls.calls import find_text_calls
from function_calls.model_calls.text_tool_calls.notations import expand_bundles
from function_calls.model_calls.transcript import Instructions, Message, assistant_calls, round_messages, tool_message
from function_calls.tools.calls import Turn
from function_calls.tools.catalog.offered_tools import OfferedTools
from function_calls.tools.validation.relaxed_json import read_object
from services.language_model.ports import Completion, CompletionRequest, RequestedCall

_MAX_UNREADABLE_LENGTH = 200


class NativeStyle:
    """Sends tools in the `tools` field, and reads calls from `tool_calls`, or from text that prints them."""

    def __init__(self, instructions: Instructions) -> None:
        self._instructions = instructions

    def is_choice_only(self, turn: Turn) -> bool:  # noqa: ARG002 - the same for every turn
        """Return False: an answer can have calls and text."""
        return False

    def request(self, turn: Turn, tools: OfferedTools, corrections: Sequence[CallCorrection]) -> CompletionRequest:
        """Return the conversation, the rounds so far and the corrections, with the serialised tools."""
        messages = [*self._instructions.conversation(turn, further=tools.further), *round_messages(turn.steps)]
        for correction in corrections:
            messages += _correction_messages(correction)
        return CompletionRequest(messages=messages, tools=tools.native, tool_choice=turn.tool_choice)

    def text_request(self, turn: Turn) -> CompletionRequest:
        """Return the same conversation without tools."""
        return CompletionRequest(
            messages=[*self._instructions.conversation_without_tools(turn), *round_messages(turn.steps)]
        )

    def read(self, turn: Turn, completion: Completion, tools: OfferedTools) -> ModelReply:  # noqa: ARG002 - as above
        """Parse the calls of the answer; without any, those printed in the text."""
        found = find_text_calls(completion.text, tools.by_name)
        calls = tuple(expand_bundles(completion.calls, tools.by_name)) or found.calls
        if calls or not found.text.startswith("{"):
            return ModelReply(calls=calls, text=found.text)
        name = tools.find_by_arguments(found.text)
        if name is None:
            return ModelReply(text=found.text)
        return ModelReply(calls=(RequestedCall(id="", name=name, arguments=found.text),))


def _correction_messages(correction: CallCorrection) -> list[Message]:
    calls = [(call.id, call.name, _valid_arguments(call)) for call in correction.calls]
    answers = [
        tool_message(call.id, call.name, feedback)
        for call, feedback in zip(correction.calls, correction.feedback, strict=True)
    ]
    return [assistant_calls(correction.text, calls), *answers]


def _valid_arguments(call: RequestedCall) -> str:
    """Return the arguments as valid JSON, because many servers refuse a history with anything else."""
    if not call.arguments.strip():
        return "{}"
    value = read_object(call.arguments)
    if value is None:
        value = {"unreadable": call.arguments[:_MAX_UNREADABLE_LENGTH]}
    return json.dumps(value, ensure_ascii=False)
