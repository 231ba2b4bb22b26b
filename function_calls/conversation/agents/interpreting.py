"""Make an agent's model an interpreter."""

from typing import Protocol, runtime_checkable

from function_calls.conversation.agents.output import InForm, told_to_end
from function_calls.llm import FunctionCallLLM
from function_calls.model_calls.instructions import Instructions
from function_calls.model_calls.styles.choosing import StyleName, make_styles
from function_calls.registry import RegisteredTool
from function_calls.tools.calls import Interpreter
from services.call_log.usage import MeteredModel
from services.language_model.ports import LanguageModel


@runtime_checkable
class _Completes(LanguageModel, Protocol):
    """A language model; a protocol to tell it from an interpreter at run time."""


def interpreter_of(
    model: LanguageModel | Interpreter, instructions: str, style: StyleName, answer: RegisteredTool | None
) -> Interpreter:
    """Return `model` as an interpreter; `answer` is the tool for a structured answer, None for free text."""
    if isinstance(model, _Completes):
        told = instructions if answer is None else f"{instructions}\n\n{told_to_end(answer)}"
        counted = model if isinstance(model, MeteredModel) else MeteredModel(model)
        model = FunctionCallLLM(counted, styles=make_styles(style, counted, Instructions(told)))
    return model if answer is None else InForm(model, answer)
