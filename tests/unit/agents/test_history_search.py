"""The history tool of an agent."""

from datetime import timedelta

from msgspec.structs import replace

from bot.testing.models import ScriptedInterpreter
from function_calls.conversation.agents.agent import Agent
from function_calls.functions.history.handlers import history_search, history_tool
from function_calls.tools.context import Services
from services.history.service import HistoryService
from tests.support.stores.messages import MemoryMessageStore
from tests.unit.agents.conftest import make_call


async def test_factory_makes_a_tool_for_one_history(turn, context, message):
    history = HistoryService(MemoryMessageStore())
    for at in range(3):
        sent = message.sent_at - timedelta(days=1, minutes=at)
        await history.record(replace(message, id=f"e{at}", text=f"tea {at}", sent_at=sent))
    librarian = Agent(
        name="librarian",
        model=ScriptedInterpreter([make_call("find_messages", query="tea"), "found"]),
        tools=[history_tool(history, name="find_messages", limit=2)],
    )

    outcome = await librarian.run(turn, context)

    assert len(outcome.steps[0].results[0].value["messages"]) == 2


async def test_earlier_messages_are_found_with_their_ids_times_and_people(turn, context, message):
    history = HistoryService(MemoryMessageStore())
    await history.record(replace(message, id="e0", text="tea at four", sent_at=message.sent_at - timedelta(days=1)))
    librarian = Agent(
        name="librarian",
        model=ScriptedInterpreter([make_call("history_search", query="tea"), "At four."]),
        tools=[history_search],
        injectable=[HistoryService],
    )

    outcome = await librarian.run(turn, replace(context, services=Services(history)))

    found = outcome.steps[0].results[0].value
    assert found == {"messages": [{"id": "e0", "when": "2026-11-19 12:00", "who": "ann", "text": "tea at four"}]}
    assert outcome.text == "At four."
