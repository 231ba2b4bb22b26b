"""The WebSocket of a room."""

import asyncio
from contextlib import suppress

import httpx
import pytest
import websockets

from function_calls.registry import tool_function
from function_calls.tools.calls import Interpretation
from services.kernel.errors import ModelUnavailable, RequestRefused
from tests.support.http_bot import served_bot, with_token
from tests.support.timeouts import on_this_machine

pytestmark = pytest.mark.integration


class SlowInterpreter:
    """An interpreter that streams its answer in pieces and ends it once it may finish."""

    def __init__(self, *pieces):
        self._pieces = pieces
        self.may_finish = asyncio.Event()

    async def interpret(self, turn):
        for piece in self._pieces:
            await turn.on_text(piece)
            await asyncio.sleep(0.06)
        await self.may_finish.wait()
        return Interpretation(answer="".join(self._pieces))


async def test_messages_have_the_same_order_for_all_people(offline_bot, open_tab):
    address, _ = offline_bot
    async with (
        open_tab(address, "Ada") as ada,
        open_tab(address, "Lin") as lin,
        open_tab(address, "Mei") as mei,
    ):
        await asyncio.gather(
            *(
                tab.say("remind me in 10 minutes to stretch", tab_id)
                for tab, tab_id in ((ada, "a"), (lin, "b"), (mei, "c"))
            )
        )
        seen = []
        for tab in (ada, lin, mei):
            for client_id in ("a", "b", "c"):
                await tab.wait_for(
                    "message_new", where=lambda data, expected=client_id: data["message"]["client_id"] == expected
                )
            seen.append(
                [
                    frame["data"]["message"]["id"]
                    for frame in tab.frames
                    if frame["type"] == "message_new" and frame["data"]["message"]["client_id"]
                ]
            )

    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0]) == 3


async def test_joining_leaving_and_typing_are_announced(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada") as ada:
        async with open_tab(address, "Lin") as lin:
            await lin.send("typing", on=True)
            joined = await ada.wait_for("presence", where=lambda data: data.get("joined", {}).get("id") == "lin")
            typing = await ada.wait_for("typing", where=lambda data: data["who"]["id"] == "lin")
        left = await ada.wait_for("presence", where=lambda data: data.get("left", {}).get("id") == "lin")

    assert [member["id"] for member in joined["data"]["members"]] == ["ada", "lin", "bot"]
    assert typing["data"]["on"]
    assert [member["id"] for member in left["data"]["members"]] == ["ada", "bot"]


async def test_start_and_end_of_a_tool_call_are_sent(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada") as ada:
        await ada.say("remind me in 10 minutes to stretch")
        answer = await ada.wait_for("message_new", where=lambda data: data["message"]["author"]["kind"] == "bot")
        created = await ada.wait_for("reminder_created")

    started, ended = (
        next(frame for frame in ada.frames if frame["type"] == kind) for kind in ("tool_start", "tool_complete")
    )
    assert started["tool"] == ended["tool"] == "reminder_set"
    assert started["arguments"]["content"] == "stretch"
    assert set(ended["result"]) == {"id", "next"}
    assert isinstance(started["timestamp"], float)
    assert isinstance(ended["duration_ms"], int)
    assert ended["data"]["call"]["id"] == started["data"]["call"]["id"]
    assert ended["data"]["message_id"] == answer["data"]["message"]["id"]
    assert created["data"]["reminder"]["text"] == "stretch"


async def test_answer_is_sent_while_it_is_written(open_tab):
    interpreter = SlowInterpreter("One ", "two ", "three ", "four.")
    interpreter.may_finish.set()
    async with served_bot(interpreter=interpreter) as (address, _), open_tab(address, "Ada") as ada:
        await ada.say("Bubbles, count")
        done = await ada.wait_for("done")

    deltas = [frame["data"]["delta"] for frame in ada.frames if frame["type"] == "message"]
    assert len(deltas) >= 3
    assert "".join(deltas) == "One two three four."
    assert done["data"]["text"] == "One two three four."
    assert done["data"]["finish_reason"] == "stop"


async def test_stopped_answer_keeps_its_text(open_tab):
    async with served_bot(interpreter=SlowInterpreter("Once upon ", "a time")) as (address, _):
        async with open_tab(address, "Ada") as ada:
            await ada.say("Bubbles, tell a story")
            start = await ada.wait_for("start")
            await ada.wait_for("message", where=lambda data: "time" in data["delta"])
            await ada.send("stop", message_id=start["data"]["message_id"])
            done = await ada.wait_for("done")
        async with open_tab(address, "Lin") as lin:
            [hello] = lin.frames

    assert done["data"]["finish_reason"] == "stopped"
    assert hello["data"]["messages"][-1]["text"] == "Once upon a time"
    assert hello["data"]["messages"][-1]["stopped"]


class UnreachableModel:
    async def interpret(self, turn):
        raise ModelUnavailable("connection", "refused")


def broken_tool():
    @tool_function(name="weather", returns="reply")
    async def weather() -> str:
        """Report the weather."""
        raise OSError("the service is down")

    return weather


def refusing_tool():
    @tool_function(name="weather", returns="reply")
    async def weather() -> str:
        """Report the weather."""
        raise RequestRefused("reminder_unknown", reference="1")

    return weather


@pytest.mark.parametrize(
    ("text", "options", "is_retryable"),
    [
        ("/weather", {"functions": [broken_tool()]}, True),
        ("/weather", {"functions": [refusing_tool()]}, False),
        ("Bubbles, how tall is the tower?", {"interpreter": UnreachableModel()}, True),
        ("remind me in 10 minutes to stretch", {"interpreter": UnreachableModel()}, False),
        ("remind me in 10 minutes to stretch", {}, False),
    ],
)
async def test_only_temporary_failures_can_be_retried_after_a_reload(text, options, is_retryable, tmp_path, open_tab):
    database = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with served_bot(database=database, **options) as (address, _), open_tab(address, "Ada") as ada:
        await ada.say(text)
        live = await ada.wait_for("message_new", where=lambda data: data["message"]["author"]["kind"] == "bot")
    async with served_bot(database=database) as (address, _), open_tab(address, "Ada") as ada:
        [hello] = ada.frames

    assert live["data"]["message"]["retryable"] is is_retryable
    assert hello["data"]["messages"][-1]["retryable"] is is_retryable


async def test_closing_the_tab_loses_no_answer(open_tab):
    interpreter = SlowInterpreter("the end")
    async with served_bot(interpreter=interpreter) as (address, _), open_tab(address, "Lin") as lin:
        async with open_tab(address, "Ada") as ada:
            await ada.say("Bubbles, tell a story")
            await ada.wait_for("start")
        interpreter.may_finish.set()
        answer = await lin.wait_for("message_new", where=lambda data: data["message"]["author"]["kind"] == "bot")

    assert answer["data"]["message"]["text"] == "the end"


async def test_closing_the_connection_of_a_request_loses_no_answer(open_tab):
    interpreter = SlowInterpreter("the end")
    body = {"session_id": "lobby", "message": "Bubbles, tell a story"}
    async with served_bot(interpreter=interpreter) as (address, _), httpx.AsyncClient(base_url=address) as client:
        async with client.stream(
            "POST", "/api/chat/send", json=body, headers={"Accept": "text/event-stream"}
        ) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("event: message"):
                    break
        async with open_tab(address, "Lin") as lin:
            interpreter.may_finish.set()
            await lin.wait_for("done")
        messages = (await client.get("/api/chat/sessions/lobby/messages")).json()

    assert messages[1]["content"] == "the end"


async def test_reconnecting_client_receives_missed_events(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Lin") as lin:
        async with open_tab(address, "Ada") as ada:
            await ada.say("remind me in 10 minutes to stretch")
            await ada.wait_for("reminder_created")
        hello = ada.frames[0]["data"]
        seen = max(frame["seq"] for frame in ada.frames)
        await lin.say("remind me in 20 minutes to eat", "two")
        await lin.wait_for(
            "message_new",
            where=lambda data: "eat" in data["message"]["text"] and data["message"]["author"]["kind"] == "bot",
        )
        async with open_tab(address, "Ada", epoch=hello["epoch"], last_seq=seen) as back:
            await back.wait_for("message_new", where=lambda data: "eat" in data["message"]["text"])

    assert back.frames[0]["data"]["is_replay"]
    assert back.frames[0]["data"]["messages"] == []
    assert all(frame["seq"] > seen for frame in back.frames[1:] if frame["type"] == "message_new")


async def test_after_a_restart_a_repeated_message_is_stored_once_and_a_snapshot_is_sent(tmp_path, open_tab):
    database = f"sqlite:///{tmp_path / 'bot.db'}"
    async with served_bot(database=database) as (address, _), open_tab(address, "Ada") as ada:
        await ada.say("remind me in 10 minutes to stretch")
        await ada.wait_for("reminder_created")
        before = ada.frames[0]["data"]
    async with (
        served_bot(database=database) as (address, _),
        open_tab(address, "Ada", epoch=before["epoch"], last_seq=3) as back,
    ):
        await back.say("remind me in 10 minutes to stretch")
        again = await back.wait_for("message_new")

    hello = back.frames[0]["data"]
    assert hello["epoch"] != before["epoch"]
    assert not hello["is_replay"]
    assert [message["client_id"] for message in hello["messages"]] == ["one", None]
    assert len(hello["reminders"]) == 1
    assert again["data"]["message"]["id"] == hello["messages"][0]["id"]


async def test_reminder_in_the_room_mentions_its_people(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada") as ada, open_tab(address, "Lin") as lin:
        await ada.say("remind me in 1 second to stretch")
        fired = await lin.wait_for("reminder_fired")
        event = await lin.wait_for("message_new", where=lambda data: data["message"]["reminder"])

    assert fired["data"]["reminder"]["mentions"] == ["ada"]
    assert fired["data"]["reminder"]["late_ms"] < on_this_machine(1000)
    assert event["data"]["message"]["mentions"] == ["ada"]


async def test_reminder_fired_in_an_empty_room_is_shown_later_with_its_lateness(offline_bot, open_tab):
    address, context = offline_bot
    async with open_tab(address, "Ada") as ada:
        await ada.say("remind me in 1 second to stretch")
        await ada.wait_for("reminder_created")
    fired = asyncio.Event()
    context.room.room("lobby").listen(lambda frame: frame.type == "reminder_fired" and fired.set())
    await asyncio.wait_for(fired.wait(), 10)
    async with open_tab(address, "Ada") as back:
        last = back.frames[0]["data"]["messages"][-1]

    assert "stretch" in last["text"]
    assert last["reminder"]["text"] == "stretch"
    assert last["reminder"]["late_ms"] >= 0


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}], ids=str
)
async def test_socket_of_a_page_of_another_site_is_refused(offline_bot, open_tab, headers):
    address, _ = offline_bot
    if "Host" in headers:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
        writer.write(
            b"GET /api/chat/ws HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert b" 403 " in await reader.readline()
        writer.close()
        return

    with pytest.raises(websockets.exceptions.InvalidStatus) as error:
        async with open_tab(address, "Ada", headers=headers):
            pass

    assert error.value.response.status_code == 403


async def test_socket_requires_the_token(open_tab):
    async with served_bot(http=with_token("s3cret-token")) as (address, _):
        with pytest.raises(websockets.exceptions.ConnectionClosed) as error:
            async with open_tab(address, "Ada"):
                pass
        async with open_tab(address, "Ada", token="s3cret-token") as ada:
            welcomed = ada.kinds()

    assert error.value.rcvd.code == 1008
    assert welcomed[0] == "hello"


async def test_socket_of_a_member_is_refused_in_a_room_of_others(open_tab):
    async with served_bot(http=with_token("s3cret-token")) as (address, context):
        _, of_ann = await context.tokens.issue("ann", "member")
        _, of_bob = await context.tokens.issue("bob", "member")
        async with open_tab(address, "ann", room="kitchen", token=of_ann) as ann:
            await ann.say("remind me in 10 minutes to stretch")
            await ann.wait_for("done")
            with pytest.raises(websockets.exceptions.ConnectionClosed) as error:
                async with open_tab(address, "bob", room="kitchen", token=of_bob):
                    pass

    assert (error.value.rcvd.code, error.value.rcvd.reason) == (1008, "room_not_yours")


async def test_socket_closes_when_its_token_is_revoked(open_tab):
    async with served_bot(http=with_token("s3cret-token")) as (address, context):
        token, secret = await context.tokens.issue("Ben", "member")
        async with open_tab(address, "Ada", token="s3cret-token") as ada, open_tab(address, "Ben", token=secret) as ben:
            await context.tokens.revoke(token.id)
            with pytest.raises(websockets.exceptions.ConnectionClosed):
                await ben.wait_for("nothing")
            await ada.say("remind me in 10 minutes to stretch")
            await ada.wait_for("message_new")

    assert ben.socket.close_code == 1008


@pytest.mark.parametrize(
    "garbage",
    ["", "null", "[]", "{", '{"type": 3}', '{"type": "send", "data": {"text": 7}}', "\x00" * 100, "[" * 20_000],
)
async def test_invalid_frames_are_answered_and_do_not_close_sockets(offline_bot, open_tab, garbage):
    address, _ = offline_bot
    async with open_tab(address, "Eve") as eve, open_tab(address, "Ada") as ada:
        await eve.socket.send(garbage)
        await eve.wait_for("error")
        await eve.say("remind me in 10 minutes to stretch")
        await ada.wait_for("message_new")


async def test_ten_megabytes_end_only_the_socket_that_sends_them(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Eve") as eve, open_tab(address, "Ada") as ada:
        with suppress(websockets.exceptions.ConnectionClosed):
            await eve.socket.send("x" * 10_000_000)
        with pytest.raises(websockets.exceptions.ConnectionClosed):
            await eve.wait_for("nothing")
        await ada.say("remind me in 10 minutes to stretch")
        await ada.wait_for("message_new")

    assert eve.socket.close_code == 1009


async def test_incomplete_frame_does_not_delay_others(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada") as ada:
        async with open_tab(address, "Eve") as eve:
            eve.socket.transport.write(b"\x81\xfe\x10")
            await ada.say("remind me in 10 minutes to stretch")
            await ada.wait_for("message_new")
            eve.socket.transport.abort()
        await ada.wait_for("presence", where=lambda data: data.get("left", {}).get("id") == "eve")


async def test_only_the_client_that_does_not_read_is_closed(offline_bot, open_tab):
    address, context = offline_bot
    room = context.room.room("lobby")
    async with open_tab(address, "Ada") as ada:
        slow = open_tab(address, "Eve")
        eve = await slow.__aenter__()
        eve.socket.transport.pause_reading()
        for number in range(3000):
            room.emit("reaction", {"message_id": "x", "reactions": {"👍": ["y" * 20_000]}, "number": number})
            if number % 50 == 0:
                await asyncio.sleep(0)
                ada.frames = [frame for frame in ada.frames if frame["type"] == "presence"]
                await ada.wait_for("reaction", where=lambda data, expected=number: data["number"] == expected)
        left = await ada.wait_for("presence", where=lambda data: data.get("left", {}).get("id") == "eve")
        eve.socket.transport.abort()

    assert [member["id"] for member in left["data"]["members"]] == ["ada", "bot"]


async def test_message_read_in_one_tab_is_read_in_all(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Lin", room="trip") as lin, open_tab(address, "Ada", room="trip") as ada:
        await lin.say("@Ada shall we go?", "first")
        first = await ada.wait_for("message_new")
        await ada.send("read", message_id=first["data"]["message"]["id"])
        await lin.wait_for("read")
        before = await count_unread(address, "Ada")
        await lin.say("@all today", "second")
        await ada.wait_for("message_new", where=lambda data: data["message"]["text"] == "@all today")
        after = await count_unread(address, "Ada")

    assert (before, after) == ((0, 0), (1, 1))


async def test_messages_are_unread_in_a_room_left_while_empty(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Lin", room="trip") as lin:
        async with open_tab(address, "Ada", room="trip") as ada:
            await ada.wait_for("hello")
        await lin.say("@Ada here we are", "first")
        await lin.wait_for("message_new")

        assert await count_unread(address, "Ada") == (1, 1)
        async with open_tab(address, "Ada", room="trip") as ada:
            await ada.wait_for("hello")
        assert await count_unread(address, "Ada") == (1, 1)


async def count_unread(address, name):
    async with httpx.AsyncClient(base_url=address) as client:
        [room] = (await client.get("/api/chat/sessions", params={"name": name})).json()["sessions"]
    return room["unread"], room["mentions"]


async def test_first_zone_of_a_browser_becomes_that_of_the_person(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada", time_zone="Asia/Tokyo") as ada:
        first = await ada.wait_for("hello")
    async with open_tab(address, "Ada", time_zone="America/New_York") as ada:
        second = await ada.wait_for("hello")
        await ada.send("time_zone", time_zone="America/New_York")
        event = await ada.wait_for("time_zone")
        await ada.send("time_zone", time_zone="Mars/Base")
        error = await ada.wait_for("error")
    async with open_tab(address, "Lin", time_zone="Mars/Base") as lin:
        unknown = await lin.wait_for("hello")

    assert first["data"]["me"]["time_zone"] == "Asia/Tokyo"
    assert second["data"]["me"]["time_zone"] == "Asia/Tokyo"
    assert event["data"] == {"time_zone": "America/New_York"}
    assert error["data"]["code"] == "frame_unknown"
    assert unknown["data"]["me"]["time_zone"] == "UTC"


async def test_zone_set_in_the_chat_is_sent_to_the_tabs_of_the_person(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada") as ada, open_tab(address, "Lin") as lin:
        await ada.say("my timezone is Tokyo")
        changed = await ada.wait_for("time_zone")
        await lin.say("list my reminders")
        await lin.wait_for("message_new", where=lambda data: data["message"]["author"]["kind"] == "bot")
        await lin.wait_for("message_new", where=lambda data: data["message"]["reply_to"] is not None)

    assert changed["data"] == {"time_zone": "Asia/Tokyo"}
    assert "time_zone" not in lin.kinds()


async def test_error_has_the_code_of_the_http_api_and_a_retry_mark(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada", language="es") as ada:
        await ada.say("x" * 20_001, "long")
        long = await ada.wait_for("error", where=lambda data: data.get("client_id") == "long")
        await ada.say(" ", "blank")
        blank = await ada.wait_for("error", where=lambda data: data.get("client_id") == "blank")
        for _ in range(1300):
            await ada.send("metrics", on=False)
        await ada.say("hello", "late")
        late = await ada.wait_for("error", where=lambda data: data.get("client_id") == "late")

    assert (long["data"]["code"], long["data"]["retryable"]) == ("invalid", False)
    assert "20000" in long["data"]["detail"].replace(".", "").replace(",", "").replace("\N{NARROW NO-BREAK SPACE}", "")
    assert blank["data"] == {
        "client_id": "blank",
        "code": "message_blank",
        "detail": "El mensaje está vacío.",
        "retryable": False,
        "retry_after": 0,
    }
    assert (late["data"]["code"], late["data"]["retryable"], late["data"]["retry_after"]) == ("too_fast", True, 1)


async def test_rate_limit_of_frames_is_one_for_all_tabs_of_a_person(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada") as first, open_tab(address, "Ada") as second, open_tab(address, "Lin") as other:
        for _ in range(1300):
            await first.send("metrics", on=False)
        await first.wait_for("error")
        await second.say("hello", "late")
        late = await second.wait_for("error")
        await other.send("ping")
        await other.wait_for("pong")

    assert late["data"]["code"] == "too_fast"
    assert "error" not in other.kinds()


@pytest.mark.parametrize(
    "frame",
    [
        r'{"type": "read", "data": {"message_id": "\ud800"}}',
        r'{"type": "edit", "data": {"message_id": "\ud800", "text": "x"}}',
        r'{"type": "react", "data": {"message_id": "\ud800", "emoji": "x"}}',
        r'{"type": "nosuch", "data": {"client_id": "\ud800"}}',
        r'{"type": "send", "data": {"text": "", "client_id": "\ud800"}}',
    ],
)
async def test_lone_surrogate_in_a_frame_leaves_the_socket_open(offline_bot, open_tab, frame):
    address, _ = offline_bot
    async with open_tab(address, "Ada") as ada:
        await ada.socket.send(frame)
        await ada.send("ping")
        await ada.wait_for("pong")


async def test_binary_frame_closes_the_socket(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada") as ada:
        await ada.socket.send(b"x")
        with pytest.raises(websockets.ConnectionClosed):
            await ada.wait_for("pong")

    assert ada.socket.close_code == 1003
