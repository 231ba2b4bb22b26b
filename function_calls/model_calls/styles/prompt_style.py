"""Request calls by prompt, for models without native function calling, exactly as Open WebUI does.

The system prompt has the tools, and the history is four messages. The answer is JSON only. For a second request
without tools, results are appended to the user's message as ``Tool `name` Output: …``.
Source: the specification's document on Open WebUI's tool calls.
"""

import json
from collections.abc import Sequence

from function_calls.model_calls.prompts import fill
from function_calls.model_calls.styles.style import CallCorrection, ModelReply, read_text
from function_calls.model_calls.text_tool_calls.notations import calls_of_json
from function_calls.model_calls.text_tool_calls.thoughts import remove_thoughts
from function_calls.model_calls.transcript import (
    Instructions,
    Message,
    circumstances,
    previous_messages,
    result_text,
    shorten_result,
)
from function_calls.tools.calls import Turn
from function_calls.tools.catalog.offered_tools import OfferedTools
from services.language_model.ports import Completion, CompletionRequest

HISTORY_MESSAGES = 4


class ChoiceStyle:
    """The common part of call styles that request the choice of tools, and the text of the answer separately."""

    def __init__(self, instructions: Instructions) -> None:
        self._instructions = instructions

    def is_choice_only(self, turn: Turn) -> bool:
        """Return True before the first results; after them the answer is text."""
        return bool(turn.tools) and not turn.steps

    def text_request(self, turn: Turn) -> CompletionRequest:
        """Return the conversation with the results of tools appended to the message."""
        return CompletionRequest(
            messages=self._instructions.conversation_without_tools(turn, appended=format_outputs(turn))
        )


class PromptStyle(ChoiceStyle):
    """Requests the choice of tools by prompt."""

    def request(self, turn: Turn, tools: OfferedTools, corrections: Sequence[CallCorrection]) -> CompletionRequest:
        """Return the request for the choice of tools, or for text after results."""
        if not self.is_choice_only(turn):
            return self.text_request(turn)
        messages: list[Message] = [
            {"role": "system", "content": self._choice_prompt(turn, tools)},
            {"role": "user", "content": choice_query(turn)},
        ]
        for correction in corrections:
            messages += correction_messages(correction)
        return CompletionRequest(messages=messages, model=self._instructions.task_model)

    def _choice_prompt(self, turn: Turn, tools: OfferedTools) -> str:
        text = fill(self._instructions.tools_prompt, {"TOOLS": f"{tools.flat}\n\n{tools.further}".rstrip()})
        return f"{self._instructions.system(turn.bot_name)}\n\n{text}" if self._instructions.is_of_agent else text

    def read(self, turn: Turn, completion: Completion, tools: OfferedTools) -> ModelReply:
        """Parse the calls in the JSON of a choice, or the text."""
        if not self.is_choice_only(turn):
            return read_text(completion, tools)
        text = remove_thoughts(completion.text)
        found = text[text.find("{") :]
        whole = found[: found.rfind("}") + 1] or found
        return ModelReply(calls=tuple(calls_of_json(whole, tools.by_name, is_certain=True)) if "{" in text else ())


def choice_query(turn: Turn) -> str:
    """Return the user message of the choice: the last four messages, newest first, and the message again."""
    messages = [("user", turn.message.text), *reversed(previous_messages(turn, HISTORY_MESSAGES - 1))]
    history = "\n".join(f'{role.upper()}: """{content}"""' for role, content in messages)
    prompt = f"Query: History:\n{history}\nQuery: {turn.message.text}"
    if turn.must_call:
        prompt += "\n\nAt least one tool must be called; an empty array is not allowed."
    return prompt if turn.is_from_program else f"{prompt}\n\n{circumstances(turn)}"


def format_outputs(turn: Turn) -> str:
    """Format the results of this turn's calls for appending to the message."""
    return "".join(
        f"\n\nTool `{call.name}` Output: {shorten_result(result_text(result, indent=2))}"
        for step in turn.steps
        for call, result in zip(step.calls, step.results, strict=True)
    )


def correction_messages(correction: CallCorrection) -> list[Message]:
    """Return invalid calls and their errors as messages for a model without `tool` messages."""
    attempted = [{"name": call.name, "parameters": call.arguments} for call in correction.calls]
    return [
        {"role": "assistant", "content": json.dumps({"tool_calls": attempted}, ensure_ascii=False)},
        {"role": "user", "content": "\n".join([*correction.feedback, "Answer with the corrected JSON object alone."])},
    ]
