"""Define the options of an agent."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypedDict

from msgspec import Struct, field

from function_calls.conversation.agent_loop import LoopLimits
from function_calls.conversation.agents.outcome import SubAgent
from function_calls.model_calls.hooks import ModelHooks
from function_calls.model_calls.styles.style_detection import StyleName
from function_calls.registry import RegisteredTool, Registrable
from function_calls.tools.dispatch.events import EventBus
from function_calls.tools.dispatch.hooks import ToolHooks
from function_calls.tools.toolset import Toolset


class AgentHooks(Struct, frozen=True, kw_only=True):
    """The hooks around an agent's model and tools, and the bus for events of its calls.

    `tools` and `events` also apply to the calls of agents that this agent asks or transfers to; `model` does not.
    """

    model: ModelHooks = field(default_factory=ModelHooks)
    tools: ToolHooks = field(default_factory=ToolHooks)
    events: EventBus = field(default_factory=EventBus)


class AgentOptions(TypedDict, total=False):
    """The options of an agent beside its name, model, output and dependencies.

    Attributes:
        instructions: the task for the model; variables such as `{{CURRENT_DATE}}` are filled in.
        tools: functions and class tools, or a `Registry` of them.
        description: its purpose, by which other agents choose.
        system_prompt: the text before the instructions, instead of the general rules of `prompts/agent.md`.
        toolsets: external tools, by label.
        sub_agents: the agents to which it can transfer a turn; the tool for that is added.
        state: initial values of the session state.
        injectable: classes of services that tools may request by annotation.
        hooks: hooks around the model and the tools.
        limits: rounds and seconds of one run.
        call_style: the format in which calls are requested from a language model, native by default.
        tool_timeout: the timeout in seconds of tools without their own; 60 by default, None for no limit.
    """

    instructions: str
    tools: Iterable[Registrable | RegisteredTool]
    description: str
    system_prompt: str | None
    toolsets: Mapping[str, Toolset] | None
    sub_agents: Sequence[SubAgent]
    state: Mapping[str, object] | None
    injectable: Collection[type[object]]
    hooks: AgentHooks | None
    limits: LoopLimits | None
    call_style: StyleName
    tool_timeout: float | None
