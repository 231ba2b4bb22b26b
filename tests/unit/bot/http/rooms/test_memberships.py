"""Rooms that a token opens: those of its holder, the lobby, or those of the token."""

from datetime import timedelta

import pytest
from loguru import logger

from bot.http.rooms.memberships import join
from services.kernel.chat import ChatMessage, Person
from services.kernel.errors import StorageBusy
from services.reminders.exchange.feed import CalendarFeed
from services.storage.messages.store import SqlMessageStore
from tests.support.http_bot import with_token

OPERATOR = "operator-token-of-the-tests"
SECRET = "the safe opens with 4711"


def authorize(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
async def api(api_of, tmp_path):
    return await api_of(http=with_token(OPERATOR), files=tmp_path / "files")


@pytest.fixture
async def token_of(api):
    async def issue(name, **body):
        answer = await api.post("/api/admin/tokens", json={"name": name, **body}, headers=authorize(OPERATOR))
        return authorize(answer.json()["token"])

    return issue


async def say(api, headers, room, text=SECRET):
    return await api.post("/api/chat/send", json={"session_id": room, "message": text}, headers=headers)


READS = [
    ("GET", "/api/chat/sessions/kitchen/messages", None),
    ("GET", "/api/chat/sessions/kitchen/log", None),
    ("GET", "/api/chat/sessions/kitchen/search?q=safe", None),
    ("GET", "/api/reminders?session_id=kitchen", None),
    ("GET", "/api/reminders?session_id=kitchen&state=done", None),
    ("POST", "/api/reminders/feed?session_id=kitchen", None),
    ("DELETE", "/api/reminders/feed?session_id=kitchen", None),
    ("POST", "/api/reminders?session_id=kitchen", {"text": "remind me tomorrow at 9 to call Lin"}),
    ("POST", "/api/summary?session_id=kitchen", {}),
    ("POST", "/api/search?session_id=kitchen", {"query": "safe"}),
    ("GET", "/api/tools?session_id=kitchen", None),
    ("GET", "/api/tools/?session_id=kitchen", None),
    ("GET", "/api/tools/reminder_list?session_id=kitchen", None),
    ("GET", "/api/tools/sources?session_id=kitchen", None),
    ("GET", "/tools/openapi.json?session_id=kitchen", None),
    ("POST", "/api/tools/history_search/invoke", {"session_id": "kitchen", "arguments": {"query": "safe"}}),
    ("POST", "/tools/history_search?session_id=kitchen", {"query": "safe"}),
    ("POST", "/api/chat/send", {"session_id": "kitchen", "message": "summarise"}),
    ("POST", "/api/chat/sessions/kitchen/members", {"name": "bob"}),
    ("POST", "/api/chat/sessions/kitchen/messages/x/stop", None),
    ("POST", "/api/chat/sessions/kitchen/messages/x/reactions", {"emoji": "👍"}),
]


@pytest.mark.parametrize(("method", "path", "body"), READS)
async def test_member_is_refused_in_a_room_of_others(api, token_of, method, path, body):
    await say(api, await token_of("ann"), "kitchen")

    answer = await api.request(method, path, json=body, headers=await token_of("bob"))

    assert (answer.status_code, answer.json()["code"]) == (403, "room_not_yours")
    assert SECRET not in answer.text


@pytest.mark.parametrize("path", ["/api/tools", "/api/tools/sources", "/tools/openapi.json"])
async def test_other_and_missing_rooms_get_the_same_answer(api, token_of, path):
    await say(api, await token_of("ann"), "kitchen")
    guest = await token_of("guest", rooms=["garden"])

    response = await api.get(f"{path}?session_id=kitchen", headers=guest)
    unused = await api.get(f"{path}?session_id=nowhere", headers=guest)

    assert response.status_code == unused.status_code == 403
    assert response.text == unused.text.replace("nowhere", "kitchen")
    assert (await api.get(f"{path}?session_id=garden", headers=guest)).status_code == 200


async def test_client_token_is_refused_in_a_room_of_others_at_v1_and_mcp(api, token_of):
    await say(api, await token_of("ann"), "kitchen")
    client = await token_of("program", role="client")
    request = {"model": "bubbles", "session_id": "kitchen", "messages": [{"role": "user", "content": "summarise"}]}

    completion = await api.post("/v1/chat/completions", json=request, headers=client)
    mcp = await api.post("/mcp", json={}, headers={**client, "Bubbles-Session": "kitchen"})

    assert (completion.status_code, mcp.status_code) == (403, 403)


async def test_upload_to_a_room_of_others_is_refused(api, token_of):
    await say(api, await token_of("ann"), "kitchen")
    path = "/api/chat/sessions/kitchen/files?filename=a.txt"

    assert (await api.post(path, content=b"x", headers=await token_of("bob"))).status_code == 403


async def test_member_lists_and_reads_only_rooms_of_their_own(api, token_of):
    ann, bob = await token_of("ann"), await token_of("bob")
    for headers, room in ((ann, "kitchen"), (bob, "garage"), (ann, "lobby")):
        await say(api, headers, room)

    ids = {each["id"] for each in (await api.get("/api/chat/sessions", headers=ann)).json()["sessions"]}
    of_operator = (await api.get("/api/chat/sessions", headers=authorize(OPERATOR))).json()["sessions"]

    assert ids == {"kitchen", "lobby"}
    assert {each["id"] for each in of_operator} == {"kitchen", "garage", "lobby"}
    for headers, room in ((ann, "kitchen"), (bob, "garage"), (bob, "lobby"), (authorize(OPERATOR), "garage")):
        assert SECRET in (await api.get(f"/api/chat/sessions/{room}/messages", headers=headers)).text


async def test_member_lists_a_room_that_was_used_before_many_rooms_of_others(api, token_of):
    ann = await token_of("ann")
    await say(api, ann, "kitchen")
    bob, now = Person(id="bob", name="bob"), api.context.clock.now()
    rooms = [api.context.room.address(f"room-{number}") for number in range(200)]
    later = [ChatMessage(id="1", address=room, sender=bob, text="hi", sent_at=now) for room in rooms]
    await SqlMessageStore(api.context.database).add(later)

    sessions = (await api.get("/api/chat/sessions", headers=ann)).json()["sessions"]

    assert [each["id"] for each in sessions] == ["kitchen"]


async def test_invited_person_reads_the_room(api, token_of):
    ann, bob = await token_of("ann"), await token_of("Bob B")
    await say(api, ann, "kitchen")

    invited = await api.post("/api/chat/sessions/kitchen/members", json={"name": "Bob B"}, headers=ann)

    assert invited.status_code == 201
    assert SECRET in (await api.get("/api/chat/sessions/kitchen/messages", headers=bob)).text
    sessions = (await api.get("/api/chat/sessions", headers=bob)).json()["sessions"]
    assert [each["id"] for each in sessions] == ["kitchen"]


async def test_person_who_entered_an_unused_room_first_is_its_only_member(api, token_of):
    ann, bob = await token_of("ann"), await token_of("bob")
    waiting = await api.get("/api/chat/sessions/kitchen/messages", headers=bob)

    response = await say(api, ann, "kitchen")
    invited = await api.post("/api/chat/sessions/kitchen/members", json={"name": "ann"}, headers=bob)

    assert (waiting.status_code, response.status_code, invited.status_code) == (200, 403, 201)
    assert (await say(api, ann, "kitchen")).status_code == 200


async def test_room_that_its_first_person_left_unused_for_500_others_is_free(api, token_of):
    ann, bob = await token_of("ann"), await token_of("bob")
    await api.get("/api/chat/sessions/kitchen/messages", headers=bob)
    for number in range(500):
        await join(api.context, "bob", f"room-{number}")

    assert (await say(api, ann, "kitchen")).status_code == 200
    assert (await api.get("/api/chat/sessions/kitchen/messages", headers=bob)).status_code == 403


@pytest.mark.parametrize("name", ["  ", "\u200b", "a\nb\0"])
async def test_token_of_a_name_that_nobody_can_have_is_refused(api, name):
    answer = await api.post("/api/admin/tokens", json={"name": name}, headers=authorize(OPERATOR))

    assert (answer.status_code, answer.json()["code"]) == (422, "name_invalid")


async def test_token_issued_for_rooms_opens_no_other(api, token_of):
    guest = await token_of("guest", rooms=["trip"])
    statuses = [(await say(api, guest, room)).status_code for room in ("trip", "lobby", "unused")]

    assert statuses == [200, 403, 403]


async def test_early_author_of_a_room_is_a_member(api, token_of):
    ann = await token_of("ann")
    await say(api, ann, "kitchen")
    await say(api, authorize(OPERATOR), "kitchen")
    await api.context.state.set("http.rooms:ann", None, keep=timedelta())

    assert (await api.get("/api/chat/sessions/kitchen/messages", headers=ann)).status_code == 200


async def test_without_a_token_in_the_settings_every_room_is_open(api_of):
    api = await api_of()
    await api.post("/api/chat/send", json={"session_id": "kitchen", "message": SECRET, "name": "Ann"})

    assert SECRET in (await api.get("/api/chat/sessions/kitchen/messages")).text


async def feed_status(api, feed):
    return (await api.get(feed.json()["path"])).status_code


async def test_calendar_feed_ends_with_the_token_that_asked_for_it(api, token_of):
    ann, bob = await token_of("ann"), await token_of("bob")
    of_ann = await api.post("/api/reminders/feed", headers=ann)
    of_bob = await api.post("/api/reminders/feed", headers=bob)
    before = await feed_status(api, of_ann), await feed_status(api, of_bob)

    [token] = [each for each in await api.context.tokens.list_tokens() if each.name == "ann"]
    await api.delete(f"/api/admin/tokens/{token.id}", headers=authorize(OPERATOR))

    assert before == (200, 200)
    assert (await feed_status(api, of_ann), await feed_status(api, of_bob)) == (404, 200)


async def test_calendar_feed_of_the_operator_ends_when_their_token_is_replaced(api_of):
    first = await api_of(http=with_token(OPERATOR))
    feed = await first.post("/api/reminders/feed", headers=authorize(OPERATOR))
    holder = first.context.tokens.holder("settings")
    replaced = await api_of(http=with_token("another-token-of-the-tests"))

    assert await feed_status(first, feed) == 200
    assert not await replaced.context.tokens.is_current(holder)


async def test_failed_request_for_a_calendar_logs_no_address(api, token_of, monkeypatch):
    async def fail(self, token):
        raise StorageBusy("bot.db", "another process")

    monkeypatch.setattr(CalendarFeed, "feed", fail)
    feed = await api.post("/api/reminders/feed", headers=await token_of("ann"))
    lines = []
    sink = logger.add(lines.append, level="WARNING", diagnose=False)
    status = await feed_status(api, feed)
    logger.remove(sink)

    assert status == 503
    assert "GET /calendar/{token}.ics failed" in lines[0]


async def test_invitations_end_no_membership(api, token_of):
    ann, bob, eve = await token_of("ann"), await token_of("bob"), await token_of("eve")
    await say(api, ann, "kitchen")
    await api.post("/api/chat/sessions/kitchen/members", json={"name": "bob"}, headers=ann)
    for number in range(499):
        await join(api.context, "bob", f"trap{number}", is_invited=True)
    await say(api, eve, "cellar")
    response = await api.post("/api/chat/sessions/cellar/members", json={"name": "bob"}, headers=eve)

    assert (response.status_code, response.json()["code"]) == (409, "too_many_rooms")
    assert (await api.get("/api/chat/sessions/kitchen/messages", headers=bob)).status_code == 200
