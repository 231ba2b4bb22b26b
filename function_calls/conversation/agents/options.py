"""Define the options of an agent."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypedDict

from msgspec import Struct, field

from function_calls.conversation.agent_loop import LoopLimits
from function_calls.conversation.agents.outcome import SubAgent
from function_calls.model_calls.hooks import ModelHooks
from function_calls.model_calls.styles.choosing import StyleName
from function_calls.registry import Registrable
from function_calls.tools.dispatch.events import EventBus
from function_calls.tools.dispatch.hooks import ToolHooks
from function_calls.tools.toolset import Toolset


class AgentHooks(Struct, frozen=True, kw_only=True):
    """The hooks of an agent: around the model, around the tools, and the bus for events of its calls.

    `tools` and `events` also apply to the calls of the agents that this one asks or hands over to. `model` is only of
    this agent.
    """

    model: ModelHooks = field(default_factory=ModelHooks)
    tools: ToolHooks = field(default_factory=ToolHooks)
    events: EventBus = field(default_factory=EventBus)


class AgentOptions(TypedDict, total=False):
    """The options of an agent beside its name, model, output and dependencies.

    Attributes:
        instructions: the task, for its model; variables such as `{{CURRENT_DATE}}` are filled in.
        tools: functions and class tools, in any mixture.
        description: its purpose; other agents choose by it.
        system_prompt: the text before the instructions, in place of the general rules of `prompts/agent.md`.
        toolsets: tools from elsewhere, by label.
        sub_agents: the agents that it may hand a turn to; the tool for that is added by itself.
        state: session state to begin with, where the session has none yet.
        injectable: classes of services that tools may ask for by annotation.
        hooks: where other code steps in.
        limits: rounds and seconds of one run.
        call_style: how a language model is asked for calls, natively by default.
        tool_timeout: seconds for each tool without a limit of its own; 60 by default, None is no limit.
    """

    instructions: str
    tools: Iterable[Registrable]
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
