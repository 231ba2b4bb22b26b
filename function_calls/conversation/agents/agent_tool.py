"""Offer agents as tools: `AgentTool` asks an agent, `TransferTool` transfers the turn to one."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from function_calls.conversation.agents.outcome import AgentOutcome, SubAgent
from function_calls.tools.calls import ReturnStyle, SpawnedTask, Step, ToolResult, Turn
from function_calls.tools.context import PROGRAM, CallContext
from function_calls.tools.declaration.class_tools import Tool
from function_calls.tools.permission import Permission
from function_calls.tools.policy import Dispatcher
from services.kernel.errors import ModelUnavailable

_SECONDS: Final = 300.0  # an agent may ask its model several times
_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "request": {
            "type": "string",
            "minLength": 1,
            "description": "What the agent is to do, with everything that it has to know; it does not see the chat.",
        }
    },
    "required": ["request"],
    "additionalProperties": False,
}
TRANSFER: Final = "transfer_to_agent"


class AgentTool(Tool):
    """Lets a model ask `agent`; unlike after a transfer, the answer returns to the model.

    The agent has the session of the call and the permissions of the person, but not the history of the chat.
    """

    def __init__(
        self,
        agent: SubAgent,
        *,
        returns: ReturnStyle = "observation",
        timeout: float | None = _SECONDS,
        examples: tuple[str, ...] = (),
        permission: Permission = "everyone",
    ) -> None:
        self.name = agent.name
        self.description = agent.description
        self.parameters = _PARAMETERS
        self.returns = returns
        self.timeout = timeout
        self.examples = examples
        self.permission = permission
        self._agent = agent

    @property
    def dispatchers(self) -> Mapping[str, Dispatcher]:
        """The routers of the agent and of those it may ask."""
        return self._agent.dispatchers

    async def run(self, args: dict[str, object], ctx: CallContext) -> object:
        """Run the agent on the request."""
        request = str(args["request"])
        try:
            outcome = await ask(self._agent, request, ctx)
        except ModelUnavailable as error:
            task = self._task(request, "", (), ok=False)
            return replace(ToolResult.failed(f"agent '{self.name}' could not be asked: {error.reason}"), spawned=task)
        result = _result(self.name, outcome)
        task = self._task(request, outcome.text, outcome.steps, ok=result.ok)
        result = replace(result, receipts=outcome.receipts, spawned=task)
        return replace(result, is_untrusted=outcome.is_untrusted, files=outcome.files, choices=outcome.choices)

    def _task(self, request: str, answer: str, steps: tuple[Step, ...], *, ok: bool) -> SpawnedTask:
        return SpawnedTask(agent=self.name, request=request, answer=answer, steps=steps, ok=ok)


async def ask(agent: SubAgent, request: str, ctx: CallContext) -> AgentOutcome:
    """Run `agent` on `request` in the context of a call, for functions that use its outcome.

    Raises:
        ModelUnavailable: the model did not answer the first request.
    """
    turn = Turn(
        message=replace(ctx.message, text=request, is_addressed=True, attachments=()),
        now=ctx.now,
        zone=ctx.zone,
        language=ctx.language,
        bot_name=agent.name,
        tools=(),
        is_from_program=ctx.entry_point == PROGRAM,
    )
    return await agent.run(turn, ctx)


def _result(name: str, outcome: AgentOutcome) -> ToolResult:
    if outcome.is_exhausted:
        return ToolResult.failed(f"agent '{name}' used up its rounds without an answer", text=outcome.text)
    if outcome.is_malformed:
        return ToolResult.failed(f"agent '{name}' did not answer in its form", text=outcome.text)
    text = f"{outcome.text}\n{outcome.notice}" if outcome.notice else outcome.text
    return ToolResult(
        ok=True,
        text=text,
        value={"result": text} if outcome.output is None else outcome.output.model_dump(mode="json"),
        ending=outcome.ending,
    )


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
        """Request the transfer, which follows the round."""
        ctx.actions.transfer_to_agent = str(args["agent_name"])
        return ToolResult(ok=True, value={"transfer_to_agent": args["agent_name"]})


def without_transfers(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return `steps` without the calls of the transfer tool."""
    shown = []
    for step in steps:
        pairs = zip(step.calls, step.results, strict=True)
        remaining = [(call, result) for call, result in pairs if call.name != TRANSFER]
        if remaining:
            calls, results = zip(*remaining, strict=True)
            shown.append(step if len(remaining) == len(step.calls) else replace(step, calls=calls, results=results))
    return tuple(shown)
