"""Rooms: events, frames, reconnections and tabs."""

import json

from bot.platforms.web.rooms import RING, Room
from bot.testing.clocks import FixedClock
from bot.testing.fixtures import NOW
from services.kernel.chat import Person

BOT = Person(id="bot", name="Bubbles", is_bot=True)
ANN, LIN = Person(id="ann", name="Ann"), Person(id="lin", name="Lin")


def open_room():
    """Return a room and the frames that a listener in it gets."""
    room, frames = Room("lobby", "e1", BOT, FixedClock(NOW)), []
    room.listen(frames.append, "ann")
    return room, frames


def test_events_are_counted_one_by_one_and_hints_are_not():
    room, frames = open_room()

    room.emit("message_new", {"n": 1})
    room.send_transient("typing", {})
    room.emit("message_new", {"n": 2})

    assert [frame.seq for frame in frames] == [1, 1, 2]
    assert [frame.is_kept for frame in frames] == [True, False, True]


def test_frame_keeps_its_state_at_the_time_of_the_event():
    room, frames = open_room()
    data = {"call": {"status": "running"}}

    room.emit("tool_start", {"call": data["call"].copy()}, top={"tool": "x"})
    data["call"]["status"] = "ok"

    frame = json.loads(frames[0].text)
    assert frame["data"]["call"]["status"] == "running"
    assert (frame["tool"], frame["session_id"], frame["v"]) == ("x", "lobby", 1)


def test_reconnecting_client_gets_exactly_the_missed_events():
    room, _ = open_room()
    for number in range(5):
        room.emit("message_new", {"n": number})

    assert [frame.seq for frame in room.since("e1", 3)] == [4, 5]
    assert room.since("e1", 5) == ()


def test_expired_position_needs_a_snapshot():
    room, _ = open_room()
    for number in range(RING + 2):
        room.emit("message_new", {"n": number})

    assert room.since("e1", 1) is None
    assert room.since("e0", RING) is None
    assert room.since("e1", RING + 50) is None
    assert len(room.since("e1", 2)) == RING


def test_a_second_tab_is_no_second_person():
    room, frames = open_room()

    room.enter(ANN)
    room.enter(ANN)
    room.leave(ANN)

    assert [person.id for person in room.people] == ["ann"]
    assert len([frame for frame in frames if frame.type == "presence"]) == 1
    room.leave(ANN)
    assert room.people == ()


def test_private_event_reaches_all_tabs_of_one_person_only():
    room, anns = open_room()
    lins = []
    room.listen(lins.append, "lin")

    reached = room.send_to("ann", "execute:tool", {"id": "1"})

    assert reached == len(anns) == 1
    assert lins == []


def test_people_are_mentioned_by_the_longest_name_that_fits():
    room, _ = open_room()
    room.remember(ANN)
    room.remember(Person(id="anna", name="Anna"))
    room.enter(LIN)

    assert [person.id for person in room.find_mentioned("@Anna and @lin, look")] in (["anna", "lin"], ["anna"])
    assert room.find_mentioned("nobody") == ()
