"""Buttons of a room over HTTP: their person, and if they can still be used."""

from datetime import timedelta

from bot.testing.clocks import StandingClock
from bot.testing.fixtures import NOW


async def say(api, text, *, name="Ann", **fields):
    body = {"session_id": "lobby", "message": text, "name": name} | fields
    return (await api.post("/api/chat/send", json=body)).json()["reply"]


async def press(api, message, number=0, *, name="Ann"):
    return await say(api, message["choices"][number]["says"], name=name, reply_to=message["id"])


async def find_message(api, message):
    log = (await api.get("/api/chat/sessions/lobby/log")).json()["messages"]
    return next(each for each in log if each["id"] == message["id"])


async def states(api, message):
    return [each["state"] for each in (await find_message(api, message))["choices"]]


async def test_an_undo_button_names_its_person_and_its_change(api):
    reply = await say(api, "Bubbles, remind me in 10 minutes to stretch")

    [button] = reply["choices"]
    assert (button["only_for"], button["state"], button["expires_at"]) == (["ann"], "live", None)
    assert button["says"] == f"/undo {button['change_id']}"


async def test_undo_button_is_used_once_its_change_is_undone_in_any_way(api):
    first = await say(api, "Bubbles, remind me in 10 minutes to stretch")
    second = await say(api, "Bubbles, remind me in 10 minutes to drink")
    third = await say(api, "Bubbles, remind me in 10 minutes to eat")
    await press(api, first)
    await say(api, "Bubbles, undo")

    assert await states(api, first) == ["used"]
    assert await states(api, second) == ["live"]
    assert await states(api, third) == ["used"]


async def test_used_button_is_announced_in_the_room(api):
    reply = await say(api, "Bubbles, remind me in 10 minutes to stretch")
    frames = []
    api.context.room.room("lobby").listen(frames.append)
    await press(api, reply)

    [message] = [each.data["message"] for each in frames if each.type == "message_updated"]
    assert message["id"] == reply["id"]
    assert message["author"]["kind"] == "bot"
    assert [each["state"] for each in message["choices"]] == ["used"]


async def test_a_used_button_is_answered_in_words_and_without_a_code(api):
    reply = await say(api, "Bubbles, remind me in 10 minutes to stretch")
    await press(api, reply)
    again = await press(api, reply)

    assert again["text"] == "That has already been undone."
    assert [call["error"] for call in again["tool_calls"]] == ["That has already been undone."]


async def test_press_by_another_person_is_answered_and_uses_no_button(api):
    reply = await say(api, "Bubbles, remind me in 10 minutes to stretch")
    answer = await press(api, reply, name="Lin")

    assert answer["text"].startswith("That is somebody else's change")
    assert await states(api, reply) == ["live"]


async def test_buttons_of_an_answered_or_dropped_question_are_used(api):
    first = await say(api, "Bubbles, remind me tomorrow at 6 to call Lin")
    frames = []
    api.context.room.room("lobby").listen(frames.append)
    await say(api, "at 6pm")
    second = await say(api, "Bubbles, remind me tomorrow at 6 to pack")
    await say(api, "Bubbles, list my reminders")
    third = await say(api, "Bubbles, forget me")
    await say(api, "Bubbles, no")

    for question in (first, second, third):
        assert set(await states(api, question)) == {"used"}
    ids = [each.data["message"]["id"] for each in frames if each.type == "message_updated"]
    assert ids == [first["id"], second["id"], third["id"]]


async def test_a_question_is_answered_by_one_press_and_expires(api_of):
    clock = StandingClock(NOW)
    api = await api_of(clock=clock)
    first = await say(api, "Bubbles, forget me")
    await press(api, first, 1)
    second = await say(api, "Bubbles, forget me")
    until_then = await states(api, second)
    clock.set(clock.now() + timedelta(minutes=10))

    assert await states(api, first) == ["used", "used"]
    assert [each["only_for"] for each in first["choices"]] == [["ann"], ["ann"]]
    assert until_then == ["live", "live"]
    assert await states(api, second) == ["expired", "expired"]


async def test_the_error_of_a_refused_call_is_worded_for_people_in_the_history_too(api):
    await say(api, "Bubbles, remind me in 10 minutes to stretch")
    answer = await say(api, "Bubbles, delete stretch", name="Lin")
    [call] = (await find_message(api, answer))["tool_calls"]

    assert call["error"] == answer["text"]
    assert "not_your_reminder" not in str(answer)


async def test_a_change_over_http_is_undone_by_its_id(api):
    ann = {"name": "Ann"}
    made = [
        (await api.post("/api/reminders", params=ann, json={"text": f"remind me in 10 minutes to {what}"})).json()
        for what in ("stretch", "drink")
    ]
    response = await api.post("/api/reminders/undo", params=ann | {"change_id": made[0]["change_id"]})
    again = await api.post("/api/reminders/undo", params=ann | {"change_id": made[0]["change_id"]})
    others = await api.post("/api/reminders/undo", params={"name": "Lin", "change_id": made[1]["change_id"]})
    left = (await api.get("/api/reminders")).json()["reminders"]

    assert (response.status_code, again.status_code, others.status_code) == (200, 409, 403)
    assert again.json()["detail"].endswith("That has already been undone.")
    assert [each["text"] for each in left] == ["drink"]
