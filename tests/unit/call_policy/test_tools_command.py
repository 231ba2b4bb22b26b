"""The command /tools, which enables and disables functions of a chat."""

import asyncio
from datetime import timedelta

import pytest

from function_calls.registry import tool_function
from function_calls.tools.policy import ToolSwitches
from services.kernel.state import MemoryStateStore
from tests.unit.call_policy.conftest import call


@tool_function(returns="reply", examples=["pour the tea", "倒茶吧"])
async def pour() -> str:
    """Pour."""
    return "poured"


@pytest.fixture
def here(room):
    return room(pour, owners={"fake:olga"})


@pytest.mark.parametrize("who", [{"sender": "adam", "is_admin": True}, {"sender": "olga"}, {"is_private": True}])
@pytest.mark.parametrize("command", ["/tools off pour", "/tools@Bubbles OFF pour", "/tools 关闭 pour", "/工具 关 pour"])
async def test_admins_owners_and_people_in_private_disable_a_function(here, who, command):
    answer = await here.say(command, **who)

    assert "pour" in answer
    assert await here.policy.switches.off_in(here.message().address) == {"pour"}


async def test_member_cannot_switch_functions(here):
    answer = await here.say("/tools off pour", sender="ann")

    assert answer == "Only an admin of this chat may switch tools on or off."
    assert (await here.dispatch(call("pour"))).ok


async def test_disabled_function_cannot_be_called_at_any_entry_point(here):
    await here.say("/tools off pour", is_admin=True)
    result = await here.dispatch(call("pour"), sender="olga")

    assert result.text == "pour is switched off in this chat. An admin can switch it on: /tools on pour"
    assert "pour" not in [tool.name for tool in (await here.turn(here.message())).tools]


async def test_disabled_function_of_one_chat_works_in_another(here):
    await here.say("/tools off pour", is_admin=True)

    assert not (await here.dispatch(call("pour"))).ok
    assert (await here.dispatch(call("pour"), chat="work")).ok


async def test_disabled_function_is_enabled_again(here):
    await here.say("/tools off pour", is_admin=True)
    answer = await here.say("/tools on pour", is_admin=True)

    assert answer == "pour is on in this chat."
    assert await here.say("pour the tea") == "poured"


async def test_list_marks_disabled_functions(here):
    await here.say("/tools off pour", is_admin=True)
    answer = await here.say("/tools", is_admin=True)

    assert "• undo\n" in answer
    assert "• pour (off)" in answer


async def test_an_unknown_name_is_answered_with_the_nearest(here):
    answer = await here.say("/tools off pou", is_admin=True)

    assert answer == "There is no tool called pou here. There are: pour"


async def test_disabled_function_stays_disabled_after_a_restart(here, room):
    await here.say("/tools off pour", is_admin=True)
    await here.clock.nap(timedelta(days=400).total_seconds())

    assert not (await here.dispatch(call("pour"))).ok


async def test_functions_disabled_at_the_same_time_are_all_disabled(here):
    class SlowStore(MemoryStateStore):
        async def get(self, key):
            value = await super().get(key)
            await asyncio.sleep(0)
            return value

    switches, chat = ToolSwitches(SlowStore(here.clock), here.clock), here.message().address

    await asyncio.gather(*(switches.switch(chat, name, is_on=False) for name in ("pour", "brew")))

    assert await switches.off_in(chat) == {"pour", "brew"}


async def test_switches_that_were_read_before_a_change_are_not_cached(here):
    is_switched = asyncio.Event()

    class SlowStore(MemoryStateStore):
        async def get(self, key):
            value = await super().get(key)
            if asyncio.current_task() is reading:
                await is_switched.wait()
            return value

    switches, chat = ToolSwitches(SlowStore(here.clock), here.clock), here.message().address
    reading = asyncio.create_task(switches.off_in(chat))
    await asyncio.sleep(0)
    await switches.switch(chat, "pour", is_on=False)
    is_switched.set()
    await reading

    assert await switches.off_in(chat) == {"pour"}


async def test_disabled_function_is_disabled_in_other_processes_within_a_minute(here):
    await here.dispatch(call("pour"))
    await here.store.set("tools.off:fake:home", ["pour"], keep=timedelta(days=1))
    await here.clock.nap(60)

    assert not (await here.dispatch(call("pour"))).ok


@pytest.mark.parametrize("text", ["what /tools are there?", "tools", "/toolsmith off"])
async def test_other_talk_of_tools_is_no_command(here, text):
    answer = await here.say(text, is_admin=True)

    assert "Tools in this chat" not in (answer or "")


async def test_functions_disabled_by_two_processes_at_the_same_time_are_all_disabled(here):
    class SlowStore(MemoryStateStore):
        async def get(self, key):
            value = await super().get(key)
            await asyncio.sleep(0)
            return value

    store, chat = SlowStore(here.clock), here.message().address
    names = ("pour", "brew")
    await asyncio.gather(*(ToolSwitches(store, here.clock).switch(chat, name, is_on=False) for name in names))

    assert await ToolSwitches(store, here.clock).off_in(chat) == {"pour", "brew"}
