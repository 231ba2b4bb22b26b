"""Equal results of a call at every entry point: HTTP, MCP, agents, models and rules.

It is Friday 2026-11-20 at 10:00 in UTC. The message of the agent's call has another text, which is ignored.
"""

import json
from collections.abc import Mapping

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from bot.http.app import build_guarded_app
from bot.http.mcp.server import McpTools
from bot.http.rooms.events import follow_bot
from bot.testing.clocks import StandingClock
from bot.testing.in_memory import NOW
from bot.testing.models import ScriptedInterpreter, ScriptedModel, completion, requested
from function_calls import handlers
from function_calls.conversation.agents.agent import Agent
from function_calls.functions.reminders import handlers as handlers_reminders
from function_calls.functions.reminders.handlers_states import reminder_state
from function_calls.llm import FunctionCallLLM
from function_calls.tools.calls import ToolCall
from function_calls.tools.permission import Viewer
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.people.zones import ZoneService
from services.recurrence.schedule import rule_text
from services.reminders.service import ReminderService
from tests.support.http_bot import http_bot

DOOR = {"type": "daily", "time": "15:00", "content": "open the door"}
DENTIST = {"type": "once", "time": "2026-11-21 15:15", "content": "call the dentist"}
FUNCTIONS = (
    handlers.reminder_set,
    handlers.reminder_delete,
    handlers_reminders.reminder_update,
    handlers_reminders.reminder_snooze,
    reminder_state,
)
MISLEADING = "remind everyone every Monday at 7am to ask Bob about the same time from tomorrow on"
BEFORE = [
    ("call the dentist", "2026-11-21 15:15", "", "active"),
    ("open the door", "2026-11-20 15:00", "FREQ=DAILY;BYHOUR=15;BYMINUTE=0", "active"),
]
WAYS = ("http", "mcp", "agent", "model", "rules")

CALLS = {
    "remind me tomorrow at 6:30pm to feed the cat": (
        "reminder_set",
        {"type": "once", "time": "2026-11-21 18:30", "content": "feed the cat"},
    ),
    "每周二早上九点提醒我交周报": (
        "reminder_set",
        {"type": "weekly", "time": "09:00", "weekday": 1, "content": "交周报"},
    ),
    "remind everyone tomorrow at 9am to pack": (
        "reminder_set",
        {"type": "once", "time": "2026-11-21 09:00", "content": "pack", "person": "everyone"},
    ),
    "move the dentist reminder to Monday": ("reminder_update", {"reminder_id": "dentist", "time": "2026-11-23"}),
    "change the door reminder to 4pm from tomorrow on": (
        "reminder_update",
        {"reminder_id": "door", "time": "16:00", "since": "2026-11-21"},
    ),
    "move tomorrow's door reminder to 4pm": (
        "reminder_update",
        {"reminder_id": "door", "time": "16:00", "occurrence": "2026-11-21"},
    ),
    "skip the door reminder on Monday": ("reminder_update", {"reminder_id": "door", "skip": "2026-11-23"}),
    "delete the dentist reminder": ("reminder_delete", {"reminder_id": "dentist"}),
    "snooze the dentist reminder for 30 minutes": (
        "reminder_snooze",
        {"reminder_id": "dentist", "time": "30 minutes"},
    ),
    "pause the door reminder": ("reminder_state", {"action": "pause", "reminder_id": "door"}),
}


async def reminders_after(way: str, name: str, arguments: Mapping[str, object], text: str) -> list[tuple[object, ...]]:
    """Return the reminders of a chat with two of them, after a call was made in that way."""
    model = ScriptedModel([completion("", requested(name, json.dumps(arguments)))])
    interpreter = FunctionCallLLM(model) if way == "model" else None
    async with http_bot(clock=StandingClock(NOW), interpreter=interpreter) as bot:
        transport = httpx.ASGITransport(app=build_guarded_app(bot), raise_app_exceptions=False)
        headers = {"Accept": "application/json"}
        with follow_bot(bot):
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1:8765", headers=headers
            ) as client:
                for given_before in (DOOR, DENTIST):
                    await client.post("/api/tools/reminder_set/invoke", json={"arguments": given_before})
                reminders = bot.app.services.get(ReminderService)
                chat = bot.room.address("lobby")
                person = (await reminders.open_in(chat))[0].creator
                if way == "http":
                    await client.post(f"/api/tools/{name}/invoke", json={"arguments": dict(arguments)})
                elif way == "mcp":
                    asker = Viewer(person=person, chat=chat)
                    async with Client(McpTools(bot.app, StandingClock(NOW), lambda _: asker).server()) as mcp:
                        await mcp.call_tool(name, dict(arguments))
                elif way == "agent":
                    await call_by_agent(bot, person, chat, name, arguments)
                else:
                    await client.post("/api/chat/send", json={"session_id": "lobby", "message": text})
                return sorted(
                    (each.content, f"{each.schedule.start:%Y-%m-%d %H:%M}", rule_text(each.schedule), each.state.value)
                    for each in await reminders.open_in(chat)
                )


async def call_by_agent(bot, person, chat, name, arguments):
    script = [[ToolCall(id="c1", name=name, arguments=arguments)], "Done."]
    agent = Agent(
        name="helper",
        model=ScriptedInterpreter(script),
        tools=FUNCTIONS,
        injectable=[ReminderService, HistoryService, ZoneService],
    )
    message = ChatMessage(id="a1", address=chat, sender=person, text=MISLEADING, sent_at=NOW, is_addressed=True)
    turn = await bot.app.turns.turn(message)
    await agent.run(turn, bot.app.turns.context(turn, 0))


@pytest.mark.parametrize("text", CALLS)
async def test_call_has_the_same_result_at_every_entry_point(text):
    name, arguments = CALLS[text]
    found = {way: await reminders_after(way, name, arguments, text) for way in WAYS}

    assert found == dict.fromkeys(WAYS, found["http"])
    assert found["http"] != BEFORE


@settings(max_examples=3, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hour=st.integers(13, 23), minute=st.integers(0, 59), days=st.integers(1, 6), is_daily=st.booleans())
async def test_time_is_the_same_at_every_entry_point(hour, minute, days, is_daily):
    clock, content = f"{hour}:{minute:02}", "water the ferns"
    kind = {"type": "daily", "time": clock} if is_daily else {"type": "once", "time": f"2026-11-{20 + days} {clock}"}
    when = "every day" if is_daily else f"on {20 + days} November"
    text = f"remind me {when} at {clock} to {content}"

    found = {way: await reminders_after(way, "reminder_set", {**kind, "content": content}, text) for way in WAYS}

    assert found == dict.fromkeys(WAYS, found["http"])
