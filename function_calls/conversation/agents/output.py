"""Structure an agent's answer as an instance of a Pydantic model, validated like a call and corrected once."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol, runtime_checkable

from msgspec.structs import replace
from pydantic import BaseModel, RootModel

from function_calls.llm import FunctionCallLLM
from function_calls.model_calls.prompts import fill, prompt
from function_calls.model_calls.styles.style_detection import StyleName, make_styles
from function_calls.model_calls.transcript import Instructions
from function_calls.registry import RegisteredTool, tool_function
from function_calls.tools.calls import Interpretation, Interpreter, Step, ToolCall, ToolResult, Turn
from function_calls.tools.context import CallContext
from function_calls.tools.declaration.argument_validation import check_arguments
from function_calls.tools.errors import ArgumentError, ArgumentsInvalid
from services.call_log.usage import MeteredModel
from services.language_model.ports import LanguageModel

OUTPUT: Final = "give_answer"
_DESCRIPTION: Final = "Give your answer and end. Call it once, when you know all of it."


def answer_tool(output_class: type[BaseModel]) -> Callable[..., object]:
    """Return the tool with which a model gives an instance of `output_class` as the answer and ends the run.

    Raises:
        TypeError: `output_class` is no Pydantic model with fields.
    """
    if not _has_fields(output_class):
        raise TypeError(f"output is {output_class!r}; give a Pydantic model with a field for each part of the answer")

    async def give(args: BaseModel, ctx: CallContext) -> ToolResult:
        ctx.actions.output = args
        return ToolResult(ok=True, text=_word(args), value=args.model_dump(mode="json"))

    give.__annotations__["args"] = output_class
    return tool_function(name=OUTPUT, description=_DESCRIPTION, is_deferrable=False)(give)


def _has_fields(output_class: object) -> bool:
    return (
        isinstance(output_class, type)
        and issubclass(output_class, BaseModel)
        and output_class is not BaseModel
        and not issubclass(output_class, RootModel)
    )


def agent_instructions(text: str, system_prompt: str | None, answer: RegisteredTool | None) -> Instructions:
    """Return the instructions of an agent: the general rules or `system_prompt`, `text`, and the use of `answer`."""
    parts, without_tools = [text.strip()], ""
    if answer is not None:
        schema = json.dumps(answer.spec.parameters, ensure_ascii=False)
        parts.append(fill(prompt("output"), {"TOOL": OUTPUT}))
        without_tools = fill(prompt("output_in_words"), {"SCHEMA": schema})
    system = prompt("agent") if system_prompt is None else system_prompt
    return Instructions("\n\n".join(filter(None, parts)), system=system, without_tools=without_tools)


class StructuredOutput:
    """An interpreter that converts text to a call of the answer tool, and returns invalid text to its model once."""

    def __init__(self, interpreter: Interpreter, tool: RegisteredTool) -> None:
        self._interpreter = interpreter
        self._tool = tool

    async def interpret(self, turn: Turn) -> Interpretation:
        """Interpret `turn`; a structured answer is a call."""
        turn = replace(turn, on_text=None)  # a partial structured answer is useless
        interpretation = await self._interpreter.interpret(turn)
        try:
            return self._as_call(turn, interpretation)
        except ArgumentsInvalid as error:
            refused = _refusal(turn, interpretation.answer, error)
        interpretation = await self._interpreter.interpret(replace(turn, steps=(*turn.steps, refused)))
        with suppress(ArgumentsInvalid):
            return self._as_call(turn, interpretation)
        return interpretation

    def _as_call(self, turn: Turn, interpretation: Interpretation) -> Interpretation:
        """Return `interpretation` with its text as a call of the answer tool.

        Raises:
            ArgumentsInvalid: the text is not a valid answer.
        """
        if interpretation.calls or interpretation.must_reply:
            return interpretation
        found = interpretation.answer[interpretation.answer.find("{") : interpretation.answer.rfind("}") + 1]
        if not found:
            raise ArgumentsInvalid(OUTPUT, [ArgumentError(pointer="", message="there is no JSON object in the answer")])
        arguments = check_arguments(self._tool.validator, found, tool=OUTPUT).arguments
        self._tool.instantiate(arguments)
        return replace(
            interpretation, answer="", calls=(ToolCall(id=_call_id(turn), name=OUTPUT, arguments=arguments),)
        )


def _refusal(turn: Turn, words: str, error: ArgumentsInvalid) -> Step:
    """Return a step with the rejected answer and the reason, for the model."""
    call = ToolCall(id=_call_id(turn), name=OUTPUT, arguments={"words": words})
    return Step(text="", calls=(call,), results=(ToolResult.failed(error.for_model()),))


def _call_id(turn: Turn) -> str:
    return f"answer_{len(turn.steps)}"


def _word(answer: BaseModel) -> str:
    """Return the answer for people: by `__str__` of its class, or as JSON."""
    has_words = type(answer).__str__ is not BaseModel.__str__
    return str(answer) if has_words else answer.model_dump_json()


@runtime_checkable
class _CheckableModel(LanguageModel, Protocol):
    """A language model, distinguishable from an interpreter at run time."""


def interpreter_of(
    model: LanguageModel | Interpreter, instructions: Instructions, style: StyleName, answer: RegisteredTool | None
) -> Interpreter:
    """Return `model` as an interpreter; `answer` is the tool for a structured answer, None for text.

    Raises:
        TypeError: `model` is neither a language model nor an interpreter.
        ValueError: there is no such `style`.
    """
    if isinstance(model, _CheckableModel):
        counted = model if isinstance(model, MeteredModel) else MeteredModel(model)
        model = FunctionCallLLM(counted, styles=make_styles(style, counted, instructions))
    elif not hasattr(model, "interpret"):
        raise TypeError(f"model is {model!r}; give the name of a model, a LanguageModel or an Interpreter")
    return model if answer is None else StructuredOutput(model, answer)
