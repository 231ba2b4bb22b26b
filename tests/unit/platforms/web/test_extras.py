"""Stored extras of messages in a room: reactions, links and cards."""

from datetime import timedelta

from bot.platforms.web.extras import Extras, RoomExtras
from bot.platforms.web.frames import AttachmentShape, FiredShape, choice_shape
from bot.testing.clocks import FixedClock
from bot.testing.fixtures import NOW
from services.kernel.chat import Choice
from services.kernel.state import MemoryStateStore


def book(state):
    return RoomExtras(state, "web:lobby")


async def test_extras_are_there_after_a_restart():
    state = MemoryStateStore(FixedClock(NOW))
    extras = Extras(
        choices=[choice_shape(Choice(label="Done", says="done"))],
        mentions=["ann"],
        reactions={"👍": ["lin"]},
        reminder=FiredShape(id="r1", text="tea", due_at="2026-11-20T10:00:00Z", late_ms=12),
        attachments=[AttachmentShape(kind="image", description="a cat", url=None)],
        stopped=True,
    )

    await book(state).set("m1", extras)

    assert await book(state).get("m1") == extras
    assert (await book(state).get("m2")).is_empty


async def test_extras_of_an_earlier_version_are_read():
    state = MemoryStateStore(FixedClock(NOW))
    entries = [{"id": "m1", "choices": [{"label": "Done", "says": "done"}]}, {"id": "m2", "mentions": "ann"}]
    await state.set("web.extras:web:lobby", entries, keep=timedelta(days=1))

    assert [each["state"] for each in (await book(state).get("m1")).choices] == ["live"]
    assert (await book(state).get("m2")).is_empty


async def test_only_the_latest_are_stored():
    state = MemoryStateStore(FixedClock(NOW))
    settings = book(state)
    for number in range(302):
        await settings.set(f"m{number}", Extras(mentions=["ann"]))

    assert (await settings.get("m1")).is_empty
    assert not (await settings.get("m301")).is_empty


async def test_empty_extras_are_forgotten():
    state = MemoryStateStore(FixedClock(NOW))
    await book(state).set("m1", Extras(mentions=["ann"]))
    await book(state).set("m1", Extras())

    assert (await book(state).get("m1")).is_empty


def test_number_of_reactions_to_a_message_is_limited():
    extras = Extras()
    for number in range(60):
        extras.react("eve", f"{number}")
    extras.react("ann", "0")
    extras.react("eve", "1")

    assert len(extras.reactions) == 49
    assert extras.reactions["0"] == ["eve", "ann"]
