"""Changes of a reminder at its due time, in a hundred interleavings."""

import asyncio
import random
from contextlib import suppress
from datetime import timedelta

import pytest

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.reminders.model import ReminderEdit
from tests.support.stores.reminders import MemoryReminderStore

pytestmark = pytest.mark.looptime
HOME = ChatAddress(platform="console", chat_id="home")
ANN = Person(id="ann", name="Ann")
DUE_SECONDS = 10


class UnhurriedStore(MemoryReminderStore):
    """A store with pauses before and after each step; `order` are the steps in their order."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance
        self.order: list[str] = []

    async def claim(self, *args):
        return await self._delay("claim", super().claim(*args))

    async def begin(self, *args):
        return await self._delay("begin", super().begin(*args))

    async def settle(self, *args):
        return await self._delay("settle", super().settle(*args))

    async def change(self, *args):
        return await self._delay("change", super().change(*args))

    async def add(self, *args):
        return await self._delay("add", super().add(*args))

    async def _delay(self, name, work):
        await asyncio.sleep(self._chance.uniform(0, 0.1))
        done = await work
        if done or name == "add":
            self.order.append(name)
        await asyncio.sleep(self._chance.uniform(0, 0.1))
        return done


class LosingStore(MemoryReminderStore):
    """A store in which somebody else always changes a reminder first."""

    async def change(self, *args):
        return ()


async def delete(desk, reminder):
    await desk.service.delete(HOME, ANN, reminder.id)


async def pause(desk, reminder):
    await desk.service.pause(HOME, ANN, reminder.id)


async def edit(desk, reminder):
    await desk.service.edit(HOME, ANN, reminder.id, ReminderEdit(content="new"))


async def snooze(desk, reminder):
    until = desk.clock.now() + timedelta(minutes=5)
    await desk.service.snooze(HOME, ANN, reminder.id, until, request_key="later")


def expected_texts(command, order: list[str]) -> list[str]:
    """Return the messages to people, by the first of the two changes in the ledger."""
    changes = [place for place, step in enumerate(order) if step in {"change", "add"} and place > 0]
    was_begun = "begin" in order and (not changes or order.index("begin") < changes[0])
    if not changes:
        return ["old"]
    if command is snooze:
        return ["old", "old"] if was_begun else ["old"]
    if was_begun:
        return ["old"]
    return ["new"] if command is edit else []


@pytest.mark.parametrize("seed", range(100))
async def test_change_at_the_due_time_counts_completely_before_or_after_it(make_desk, seed: int):
    chance = random.Random(seed)
    store = UnhurriedStore(chance)
    desk = make_desk(store=store)
    command = (delete, edit, snooze, pause)[seed % 4]
    reminder = await desk.set("old", seconds=DUE_SECONDS)
    started = desk.clock.now()
    async with desk.running():
        meeting = DUE_SECONDS + chance.uniform(-0.3, 0.5)
        await asyncio.sleep(meeting - (desk.clock.now() - started).total_seconds())
        with suppress(RequestRefused):  # it was said and is over
            await command(desk, reminder)
        begun_by_then = store.order.count("begin")
        await asyncio.sleep(600)

    assert desk.courier.texts == expected_texts(command, store.order)
    assert command in {snooze, edit} or store.order.count("begin") == begun_by_then or "change" not in store.order


@pytest.mark.parametrize("seed", range(25))
async def test_one_text_of_two_simultaneous_edits_is_sent_once(make_desk, seed: int):
    desk = make_desk(store=UnhurriedStore(random.Random(seed)))
    reminder = await desk.set("old", seconds=DUE_SECONDS)
    async with desk.running():
        await asyncio.sleep(DUE_SECONDS / 2)
        texts = ["one", "two"]
        edits = (desk.service.edit(HOME, ANN, reminder.id, ReminderEdit(content=text)) for text in texts)
        answers = await asyncio.gather(*edits)
        await asyncio.sleep(600)

    assert [answer.content for answer in answers] == texts
    assert len(desk.courier.texts) == 1
    assert desk.courier.texts[0] in texts


async def delete_all(desk, reminder):
    await desk.service.delete(HOME, ANN, "all")


async def revert(desk, reminder):
    await desk.service.revert(HOME, ANN, reminder.id, ReminderEdit(content="new"))


@pytest.mark.parametrize("command", [delete, delete_all, edit, revert])
async def test_change_that_always_loses_the_race_is_refused_as_such(make_desk, command):
    desk = make_desk(store=LosingStore())
    reminder = await desk.set("old", seconds=DUE_SECONDS)

    with pytest.raises(RequestRefused) as error:
        await command(desk, reminder)

    assert (error.value.code, error.value.fields) == ("changed_meanwhile", {"id": reminder.id})
