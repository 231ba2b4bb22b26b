"""Let an agent hand its turn to a sub-agent, by a tool."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from function_calls.conversation.agents.outcome import SubAgent
from function_calls.tools.calls import Step, ToolResult
from function_calls.tools.context import CallContext
from function_calls.tools.declaring.class_tools import Tool

TRANSFER: Final = "transfer_to_agent"


class TransferTool(Tool):
    """Lets a model choose among the sub-agents by their descriptions."""

    name = TRANSFER

    def __init__(self, agents: Mapping[str, SubAgent]) -> None:
        listed = "\n".join(f"- {agent.name}: {agent.description}" for agent in agents.values())
        self.description = f"Hand the message over to the agent that it is best answered by:\n{listed}"
        self.parameters = {
            "type": "object",
            "properties": {
                "agent_name": {"type": "string", "enum": list(agents), "description": "The agent that goes on."}
            },
            "required": ["agent_name"],
            "additionalProperties": False,
        }

    async def run(self, args: dict[str, object], ctx: CallContext) -> object:
        """Request the transfer, which happens when the round is over."""
        ctx.actions.transfer_to_agent = str(args["agent_name"])
        return ToolResult(ok=True, value={"transfer_to_agent": args["agent_name"]})


def without_transfers(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the earlier rounds for the next agent, without the transfers."""
    shown = []
    for step in steps:
        pairs = zip(step.calls, step.results, strict=True)
        kept = [(call, result) for call, result in pairs if call.name != TRANSFER]
        if kept:
            calls, results = zip(*kept, strict=True)
            shown.append(step if len(kept) == len(step.calls) else replace(step, calls=calls, results=results))
    return tuple(shown)
