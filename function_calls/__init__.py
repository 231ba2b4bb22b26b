"""Turn messages into calls and results: tools, validation and agents, for programs and chat platforms.

The public names are loaded at their first use; `docs/reference/api.md` describes them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from function_calls.conversation.agent_loop import LoopLimits as LoopLimits
    from function_calls.conversation.agents.agent import Agent as Agent
    from function_calls.conversation.agents.agent_tool import AgentTool as AgentTool
    from function_calls.conversation.agents.agent_tool import ask as ask
    from function_calls.conversation.agents.loop import LoopAgent as LoopAgent
    from function_calls.conversation.agents.options import AgentHooks as AgentHooks
    from function_calls.conversation.agents.outcome import AgentOutcome as AgentOutcome
    from function_calls.conversation.agents.runs import AgentResult as AgentResult
    from function_calls.conversation.agents.runs import AgentStream as AgentStream
    from function_calls.conversation.agents.runs import CompletedCall as CompletedCall
    from function_calls.functions.history.handlers import history_tool as history_tool
    from function_calls.llm import FunctionCallLLM as FunctionCallLLM
    from function_calls.model_calls.hooks import ModelHooks as ModelHooks
    from function_calls.registry import Registry as Registry
    from function_calls.registry import ToolNameTaken as ToolNameTaken
    from function_calls.router import FunctionCallRouter as FunctionCallRouter
    from function_calls.tools.calls import Choice as Choice
    from function_calls.tools.calls import Interpretation as Interpretation
    from function_calls.tools.calls import Interpreter as Interpreter
    from function_calls.tools.calls import Receipt as Receipt
    from function_calls.tools.calls import Reply as Reply
    from function_calls.tools.calls import SentFile as SentFile
    from function_calls.tools.calls import ToolCall as ToolCall
    from function_calls.tools.calls import ToolResult as ToolResult
    from function_calls.tools.calls import ToolSpec as ToolSpec
    from function_calls.tools.calls import Turn as Turn
    from function_calls.tools.calls import UndoStep as UndoStep
    from function_calls.tools.context import CallContext as CallContext
    from function_calls.tools.context import Services as Services
    from function_calls.tools.declaration.class_tools import BaseTool as BaseTool
    from function_calls.tools.declaration.class_tools import Tool as Tool
    from function_calls.tools.declaration.tool_options import ToolOptions as ToolOptions
    from function_calls.tools.declaration.tool_options import tool_function as tool_function
    from function_calls.tools.dispatch.events import Event as Event
    from function_calls.tools.dispatch.events import EventBus as EventBus
    from function_calls.tools.dispatch.hooks import ToolHooks as ToolHooks
    from function_calls.tools.errors import AgentFailed as AgentFailed
    from function_calls.tools.errors import ArgumentsInvalid as ArgumentsInvalid
    from function_calls.tools.errors import SignatureInvalid as SignatureInvalid
    from function_calls.tools.session_state import CallState as CallState
    from function_calls.tools.session_state import Session as Session
    from function_calls.tools.toolset import Toolset as Toolset
    from services.call_log.model import UsageCost as UsageCost
    from services.kernel.errors import ModelUnavailable as ModelUnavailable
    from services.kernel.errors import RequestRefused as RequestRefused
    from services.kernel.errors import ToolFailed as ToolFailed
    from services.language_model.openai_model import OpenAIModel as OpenAIModel
    from services.language_model.ports import Completion as Completion
    from services.language_model.ports import CompletionRequest as CompletionRequest
    from services.language_model.ports import LanguageModel as LanguageModel

_NAMES = {
    "function_calls.conversation.agent_loop": "LoopLimits",
    "function_calls.conversation.agents.agent": "Agent",
    "function_calls.conversation.agents.agent_tool": "AgentTool ask",
    "function_calls.conversation.agents.loop": "LoopAgent",
    "function_calls.conversation.agents.options": "AgentHooks",
    "function_calls.conversation.agents.outcome": "AgentOutcome",
    "function_calls.conversation.agents.runs": "AgentResult AgentStream CompletedCall",
    "function_calls.functions.history.handlers": "history_tool",
    "function_calls.llm": "FunctionCallLLM",
    "function_calls.model_calls.hooks": "ModelHooks",
    "function_calls.registry": "Registry ToolNameTaken",
    "function_calls.router": "FunctionCallRouter",
    "function_calls.tools.calls": (
        "Choice Interpretation Interpreter Receipt Reply SentFile ToolCall ToolResult ToolSpec Turn UndoStep"
    ),
    "function_calls.tools.context": "CallContext Services",
    "function_calls.tools.declaration.class_tools": "BaseTool Tool",
    "function_calls.tools.declaration.tool_options": "ToolOptions tool_function",
    "function_calls.tools.dispatch.events": "Event EventBus",
    "function_calls.tools.dispatch.hooks": "ToolHooks",
    "function_calls.tools.errors": "AgentFailed ArgumentsInvalid SignatureInvalid",
    "function_calls.tools.session_state": "CallState Session",
    "function_calls.tools.toolset": "Toolset",
    "services.call_log.model": "UsageCost",
    "services.kernel.errors": "ModelUnavailable RequestRefused ToolFailed",
    "services.language_model.openai_model": "OpenAIModel",
    "services.language_model.ports": "Completion CompletionRequest LanguageModel",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_MODULES]  # noqa: PLE0604 - names of the table

if not TYPE_CHECKING:  # otherwise a type checker would accept any name

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
