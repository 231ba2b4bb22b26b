"""Messages sent over HTTP, their answers, and the history of a room."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from bot.http.chat.sending import MessageSender, incoming_post
from bot.http.core.bodies import SendBody
from bot.http.security.auth import LOCAL
from bot.platforms.web.rooms import address_of
from bot.platforms.web.shapes import person_called, post_id
from bot.testing.models import ScriptedInterpreter
from function_calls.tools.calls import ToolCall
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage, Person
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore


def events(text):
    """Return the server-sent events of an answer, as (kind, data)."""
    blocks = [block.splitlines() for block in text.strip().split("\n\n") if not block.startswith(":")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in blocks]


async def say(api, text, *, stream=False, **fields):
    headers = {"Accept": "text/event-stream"} if stream else {}
    return await api.post("/api/chat/send", json={"session_id": "lobby", "message": text} | fields, headers=headers)


async def test_a_message_is_answered_with_its_tool_calls(api):
    answer = (await say(api, "remind me in 10 minutes to stretch")).json()

    assert "stretch" in answer["reply"]["text"]
    assert answer["reply"]["reply_to"] == answer["message_id"]
    assert [call["name"] for call in answer["reply"]["tool_calls"]] == ["reminder_set"]


async def test_event_stream_has_start_calls_words_and_end_in_order(api):
    stream = events((await say(api, "remind me in 10 minutes to stretch", stream=True)).text)

    assert [kind for kind, _ in stream] == ["start", "tool_start", "tool_complete", "message", "done"]
    assert stream[1][1]["call"]["status"] == "running"
    assert stream[2][1]["call"]["status"] == "ok"
    assert "stretch" in stream[3][1]["content"]
    assert stream[4][1]["message_id"] != stream[0][1]["message_id"]


async def test_stream_that_is_not_read_collects_no_events_after_the_answer(api):
    text = "remind me in 10 minutes to stretch"
    body = SendBody(session_id="lobby", message=text, client_id="one")
    stream = MessageSender(api.context, "lobby", incoming_post(body, LOCAL)).stream_events()
    await anext(stream)

    await say(api, text, client_id="one")  # waits for the same answer

    assert api.context.room.room("lobby").is_idle
    assert "stretch" in [event async for event in stream][-1]


async def test_call_has_the_words_of_its_rule_live_and_in_the_record(api):
    request = "remind me on the last day of every month at 9 to pay rent"
    live = events((await say(api, request, stream=True)).text)
    [turn_call] = (await api.get("/api/admin/tool-calls")).json()["items"]
    rule = turn_call["arguments"]["rrule"]

    for call in (live[1][1]["call"], live[2][1]["call"], turn_call, live[-1][1]["message"]["tool_calls"][0]):
        assert call["rule_words"]["en"][rule].startswith("on the last day of every month")
        assert call["rule_words"]["zh"][rule].startswith("每月最后一天")


async def test_call_has_its_part_of_the_answer_and_its_changes_live_and_in_the_record(api):
    live = events((await say(api, "remind me in 10 minutes to stretch", stream=True)).text)
    [reminder] = (await api.get("/api/reminders")).json()["reminders"]
    log = (await api.get("/api/chat/sessions/lobby/log")).json()["messages"][-1]

    for call in (live[2][1]["call"], log["tool_calls"][0]):
        assert call["text"] == log["text"]
        assert call["changes"] == [{"action": "set", "subject": reminder["id"]}]


async def test_room_that_was_never_read_counts_mentions_only(api):
    await say(api, "anybody here?", session_id="trip", name="Lin")
    await say(api, "@Ada look", session_id="trip", name="Lin")

    for name, mentions in (("Ada", 1), ("Mei", 0), ("Lin", 0)):
        [room] = (await api.get("/api/chat/sessions", params={"name": name})).json()["sessions"]
        assert (room["unread"], room["mentions"]) == (0, mentions)


async def test_own_keywords_count_as_mentions(api):
    await say(api, "when do we Deploy?", session_id="trip", name="Lin")

    for words, is_mentioned in (("deploy\nlunch", True), ("lunch", False), ("", False)):
        response = await api.get("/api/chat/sessions", params={"name": "Mei", "words": words})
        assert (response.json()["sessions"][0]["mentions"] > 0) is is_mentioned


async def test_failed_call_is_complete_too(api_of):
    api = await api_of(interpreter=ScriptedInterpreter([[ToolCall(id="c1", name="nothing", arguments={})], "sorry"]))

    stream = events((await say(api, "Bubbles, do nothing", stream=True)).text)

    [completion] = [data for kind, data in stream if kind == "tool_complete"]
    assert completion["call"]["status"] == "error"
    assert "nothing" in completion["call"]["error"]


async def test_the_same_client_id_is_one_message_and_gives_the_same_answer(api):
    first = (await say(api, "remind me in 10 minutes to stretch", client_id="one", name="Ann")).json()
    again = (await say(api, "remind me in 10 minutes to stretch", client_id="one", name="Ann")).json()
    reminders = (await api.get("/api/reminders")).json()["reminders"]

    assert first["is_new"]
    assert not again["is_new"]
    assert again["reply"]["id"] == first["reply"]["id"]
    assert len(reminders) == 1


async def leave_unanswered_message(database, *, age):
    """Store the message `one` of Ann, of that age, which an ended bot has not answered."""
    ann, now = person_called("Ann"), datetime.now(UTC)
    message = ChatMessage(
        id=post_id("one", ann),
        address=address_of("lobby"),
        sender=ann,
        text="what is the time?",
        sent_at=now - age,
        is_addressed=True,
    )
    async with Database(database) as opened:
        await HistoryService(SqlMessageStore(opened)).record(message)
    return database


@pytest.mark.parametrize("stream", [True, False])
async def test_repeated_unanswered_message_is_reported_as_such(api_of, tmp_path, stream):
    database = await leave_unanswered_message(f"sqlite:///{tmp_path / 'bot.db'}", age=timedelta(days=3))
    api = await api_of(database=database)

    answer = await say(api, "what is the time?", client_id="one", name="Ann", stream=stream)

    if stream:
        assert events(answer.text)[-1][0] == "error"
        assert events(answer.text)[-1][1]["code"] == "not_answered"
    else:
        assert (answer.status_code, answer.json()["code"]) == (503, "not_answered")
        assert answer.headers["Retry-After"] == "5"


async def test_a_client_that_repeats_a_message_gets_the_notice_that_it_was_missed(api_of, tmp_path):
    database = await leave_unanswered_message(f"sqlite:///{tmp_path / 'bot.db'}", age=timedelta(hours=2))
    api = await api_of(database=database)
    await api.context.app.connections.drain()

    answer = (await say(api, "what is the time?", client_id="one", name="Ann")).json()

    assert (answer["is_new"], "interrupted" in answer["reply"]["text"]) == (False, True)


async def test_repeated_message_with_silence_as_answer_gets_no_reply_and_no_error(api):
    await say(api, "Ann, lovely weather", client_id="one", name="Lin")
    await say(api, "thanks", client_id="two", name="Lin")

    again = await say(api, "thanks", client_id="two", name="Lin")

    assert (again.status_code, again.json()["reply"]) == (200, None)


@pytest.mark.parametrize(
    ("room", "status"),
    [("大" * 64, 200), ("大" * 65, 422), ("", 422), ("the lobby", 422)],
    ids=["64 letters", "65 letters", "none", "with a space"],
)
async def test_a_room_is_named_by_up_to_64_letters_of_any_script(api, room, status):
    assert (await say(api, "good morning", session_id=room)).status_code == status


async def test_two_people_may_use_the_same_client_id(api):
    await say(api, "remind me in 10 minutes to stretch", client_id="one", name="Ann")
    other = (await say(api, "remind me in 20 minutes to eat", client_id="one", name="Lin")).json()

    assert other["is_new"]


async def test_the_history_has_the_form_of_the_specification(api):
    await say(api, "remind me in 10 minutes to stretch")

    question, answered = (await api.get("/api/chat/sessions/lobby/messages")).json()

    assert (question["role"], answered["role"]) == ("user", "assistant")
    assert question["tool_calls"] == []
    [call] = answered["tool_calls"]
    assert set(call) == {"id", "name", "arguments", "result", "error", "status", "duration", "spawn_task"}
    assert call["status"] == "success"
    assert call["arguments"]["content"] == "stretch"


async def test_pages_follow_their_links_to_the_beginning(api):
    for number in range(5):
        await say(api, f"remind me in {number + 1} minutes to take pill {number}")

    address, seen = "/api/chat/sessions/lobby/messages?limit=4", []
    while address:
        page = await api.get(address)
        seen = [each["id"] for each in page.json()] + seen
        address = page.links.get("next", {}).get("url")

    assert len(seen) == len(set(seen)) == 10


async def test_words_find_the_messages_of_a_room(api):
    await say(api, "remind me in 10 minutes to water the ficus")
    await say(api, "remind me in 10 minutes to eat")

    found = (await api.get("/api/chat/sessions/lobby/search", params={"q": "ficus"})).json()

    assert [each["content"] for each in found] == ["remind me in 10 minutes to water the ficus"]


async def test_a_room_is_made_by_its_first_message(api):
    assert (await api.get("/api/chat/sessions")).json() == {"sessions": []}

    await say(api, "remind me in 10 minutes to stretch")

    [room] = (await api.get("/api/chat/sessions")).json()["sessions"]
    assert (room["id"], room["message_count"]) == ("lobby", 2)


async def test_only_the_author_edits_a_message_and_the_history_follows(api):
    sent = (await say(api, "remind me in 10 minutes to stretch", name="Ann")).json()["message_id"]
    address = f"/api/chat/sessions/lobby/messages/{sent}"

    response = await api.patch(address, params={"name": "Lin"}, json={"text": "evil"})
    changed = await api.patch(address, params={"name": "Ann"}, json={"text": "never mind"})

    assert response.status_code == 403
    assert changed.status_code == 200
    assert (await api.get("/api/chat/sessions/lobby/log")).json()["messages"][0]["text"] == "never mind"


async def test_withdrawn_message_is_not_in_the_history(api):
    sent = (await say(api, "remind me in 10 minutes to stretch", name="Ann")).json()["message_id"]

    await api.delete(f"/api/chat/sessions/lobby/messages/{sent}", params={"name": "Ann"})

    assert sent not in [each["id"] for each in (await api.get("/api/chat/sessions/lobby/log")).json()["messages"]]


async def test_reaction_is_added_and_removed(api):
    sent = (await say(api, "remind me in 10 minutes to stretch", name="Ann")).json()["message_id"]
    address = f"/api/chat/sessions/lobby/messages/{sent}/reactions"

    async def reactions():
        return (await api.get("/api/chat/sessions/lobby/log")).json()["messages"][0]["reactions"]

    await api.post(address, params={"name": "Lin"}, json={"emoji": "👍"})
    assert await reactions() == {"👍": ["lin"]}
    await api.post(address, params={"name": "Lin"}, json={"emoji": "👍"})

    assert await reactions() == {}


async def test_talk_between_people_over_http_is_not_answered_and_summarised(api):
    await say(api, "remind me in 10 minutes to stretch", name="Mei")
    talk = [("Lin", "the release is on Thursday at 14:00"), ("Ann", "I can make the backup tomorrow morning")]
    replies = [(await say(api, text, name=name)).json()["reply"] for name, text in talk]

    summary = (await api.post("/api/summary", json={})).json()

    assert replies == [None, None]
    assert "Thursday" in summary["text"]


async def test_person_alone_with_the_bot_is_answered_without_its_name(api):
    answer = (await say(api, "hello", name="Ann")).json()

    assert answer["reply"] is not None


async def test_rooms_with_people_are_listed_before_their_first_message(api):
    room = api.context.room.room("quiet")
    room.enter(Person(id="ann", name="Ann"))

    [session] = (await api.get("/api/chat/sessions")).json()["sessions"]

    assert (session["id"], session["message_count"], session["people_here"]) == ("quiet", 0, 1)
