import pytest
from msgspec.structs import replace

from bot.testing.models import ScriptedInterpreter
from function_calls.conversation.agents.agent import Agent
from function_calls.conversation.agents.assistant import AgentAssistant
from function_calls.tools.calls import Reply
from function_calls.tools.context import CallContext
from services.kernel.errors import ModelUnavailable
from tests.unit.agents.conftest import called


async def count(ctx: CallContext) -> str:
    """Count how often one is asked."""
    ctx.state["asked"] = int(ctx.state.get("asked", 0)) + 1
    return f"{ctx.state['asked']}"


class Standby:
    async def answer(self, turn):
        return Reply(text="standing in")


@pytest.fixture
def assistant_of(context):
    def make(*script, otherwise=None, **options):
        agent = Agent(name="helper", model=ScriptedInterpreter(script), tools=[count], **options)
        return AgentAssistant(agent, context_for=lambda turn, place: context, otherwise=otherwise)

    return make


async def test_an_agent_answers_a_message(assistant_of, turn):
    assert await assistant_of("hello ann").answer(turn) == Reply(text="hello ann", reply_to="m1")


async def test_state_outlives_the_turn(assistant_of, turn):
    assistant = assistant_of(called("count"), "one", called("count"), ModelUnavailable("timeout"))
    await assistant.answer(turn)
    reply = await assistant.answer(turn)

    assert reply.text.startswith("2\n")


async def test_without_a_model_the_next_answers(assistant_of, turn):
    reply = await assistant_of(ModelUnavailable("timeout"), otherwise=Standby()).answer(turn)

    assert reply.text == "standing in"


async def test_failure_is_reported_if_nobody_else_answers(assistant_of, turn):
    with pytest.raises(ModelUnavailable):
        await assistant_of(ModelUnavailable("timeout")).answer(turn)


async def test_small_talk_of_others_is_not_answered_even_after_a_transfer(assistant_of, turn, message):
    overheard = replace(turn, message=replace(message, is_addressed=False))
    talker = Agent(name="talker", model=ScriptedInterpreter(["Nice weather!"]))
    transfer = called("transfer_to_agent", agent_name="talker")

    assert await assistant_of(transfer, sub_agents=[talker]).answer(overheard) is None
