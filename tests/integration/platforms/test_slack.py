"""The Slack adapter through Slack's SDK, against a server that speaks Socket Mode, signed requests and the Web API."""

import asyncio
import hashlib
import hmac
import json
import time
from datetime import timedelta

import pytest
from aiohttp import ClientSession

from bot.config.platform_catalog import SlackSettings
from bot.platforms.base import Choice, Command, OutgoingMessage
from bot.platforms.kit.connection import ConnectionRefusedForGood
from services.kernel.chat import ChatAddress, MessageEdited, MessageWithdrawn, Person, SentFile
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from tests.support.chat_servers.loopback import Trouble
from tests.support.chat_servers.slack import SlackServer

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

TEAM = ChatAddress(platform="slack", chat_id="C1")
QUIET_HTTP = timedelta(seconds=1)


@pytest.fixture
async def server():
    async with SlackServer() as server:
        yield server


@pytest.fixture
def make(server):
    from bot.platforms.slack.adapter import SlackPlatform

    def platform(**settings):
        secrets = {
            "bot_token": server.bot_token,
            "app_token": server.app_token,
            "signing_secret": server.signing_secret,
        }
        options = {"api_url": server.api_url, "http_port": 0, **secrets, **settings}
        return SlackPlatform(
            SlackSettings(**options), SystemClock(), "Bubbles", ping_seconds=0.5, quiet_http=QUIET_HTTP
        )

    return platform


@pytest.fixture
async def platform(server, make, running, until):
    async with running(make()) as platform:
        await until(lambda: server.sockets)
        yield platform


@pytest.fixture
async def http_platform(server, make, running, until):
    """Run a platform that receives events as HTTP requests from Slack."""
    async with running(make(mode="http")) as platform:
        await until(lambda: platform.receiver.port)
        server.post_to = f"http://127.0.0.1:{platform.receiver.port}/slack/events"
        yield platform


async def test_message_is_received_acknowledged_and_answered(server, platform, receiver, until):
    await server.say("<@UBOT> 提醒我五点喝茶 &lt;3")
    await receiver.wait_for(1)
    await platform.send(TEAM, OutgoingMessage(text="**好的** <!channel>"))
    await until(lambda: server.waits_for == 0)

    assert (receiver.texts, receiver.received[0].is_addressed) == (["@Bubbles 提醒我五点喝茶 <3"], True)
    assert server.sent.entries[0].body["blocks"][0]["elements"][0]["elements"] == [
        {"type": "text", "text": "好的", "style": {"bold": True}},
        {"type": "text", "text": " <!channel>"},
    ]


async def test_name_of_a_person_is_requested_once(server, platform, receiver):
    for text in ("one", "two"):
        await server.say(text)
    await receiver.wait_for(2)

    assert [message.sender.name for message in receiver.received] == ["Person U7", "Person U7"]
    assert len(server.calls_of("users.info")) == 1


async def test_message_during_a_broken_connection_is_received_later(server, platform, receiver, until):
    await server.say("one")
    await until(lambda: server.waits_for == 0)
    await server.disconnect()
    await server.say("two")
    await receiver.wait_for(2)

    assert receiver.texts == ["one", "two"]


async def test_platform_reconnects_at_the_request_of_slack(server, platform, receiver, until):
    for socket in list(server.sockets):
        await socket.send_json({"type": "disconnect", "reason": "refresh_requested"})
    await until(lambda: len(server.calls_of("apps.connections.open")) >= 2)
    await server.say("tea")
    await receiver.wait_for(1)

    assert receiver.texts == ["tea"]


async def test_ticket_of_a_refused_socket_is_not_logged(server, make, running, until, caplog):
    server.expired_links = 1
    async with running(make()):
        await until(lambda: "Failed to connect" in caplog.text)

    assert "ticket" not in caplog.text


async def test_refused_socket_is_replaced_by_another(server, make, receiver, running, until):
    server.expired_links = 1
    async with running(make()):
        await until(lambda: server.sockets)
        await server.say("tea")
        await receiver.wait_for(1)

    assert receiver.texts == ["tea"]


async def test_message_without_an_answer_is_not_sent_again(server, platform):
    server.troubles.append(Trouble(is_cut=True, is_taken=True))

    with pytest.raises(DeliveryFailed) as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.is_unknown
    assert server.sent.texts == ["tea"]


async def test_private_reply_is_ephemeral(server, platform):
    ann = Person(id="U7", name="Ann")

    await platform.send(TEAM, OutgoingMessage(text="psst", private_to=ann))

    assert server.calls_of("chat.postEphemeral")[0]["user"] == "U7"


async def test_only_the_command_of_the_bot_is_left_out_of_the_text(server, platform, receiver):
    await server.command("/remind", "tea at 5")
    await server.command("/bubbles", "list reminders")
    await receiver.wait_for(2)

    assert receiver.texts == ["/remind tea at 5", "list reminders"]


async def test_edits_and_deletions_are_received(server, platform, receiver):
    message = await server.say("tea")
    changed = {"subtype": "message_changed", "message": {**message, "text": "coffee"}, "previous_message": message}
    await server.event(
        {"type": "message", "channel": "C1", "ts": "1795168900.1", "event_ts": "1795168900.1", **changed}
    )
    deleted = {"subtype": "message_deleted", "deleted_ts": message["ts"], "previous_message": message}
    await server.event(
        {"type": "message", "channel": "C1", "ts": "1795168901.1", "event_ts": "1795168901.1", **deleted}
    )
    await receiver.wait_for(3)

    assert [type(each) for each in receiver.received[1:]] == [MessageEdited, MessageWithdrawn]


async def test_wrong_token_is_a_permanent_failure(make, receiver):
    with pytest.raises(ConnectionRefusedForGood, match="xoxb"):
        await make(bot_token="xoxb-wrong").run(receiver.receive)
    with pytest.raises(ConnectionRefusedForGood, match="app token"):
        await make(app_token="xapp-wrong").run(receiver.receive)


async def test_signed_requests_are_received_over_http(server, http_platform, receiver):
    await server.say("tea")
    await server.press("done", stamp="1.1")
    await server.command("/remind", "tea at 5")
    await receiver.wait_for(3)

    assert receiver.texts == ["tea", "done", "/remind tea at 5"]
    assert server.statuses == [200, 200, 200]


async def test_requests_with_a_wrong_signature_are_refused(server, http_platform, receiver):
    server.signing_secret = "guessed"
    await server.say("tea")

    assert (server.statuses, receiver.received) == ([401], [])


async def test_request_with_an_old_signature_is_refused(server, http_platform, receiver):
    body, stamp = '{"type": "event_callback", "event": {}}', str(int(time.time()) - 600)
    signed = hmac.new(server.signing_secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={signed}"}
    async with ClientSession() as replayed, replayed.post(server.post_to, data=body, headers=headers) as answer:
        assert (answer.status, receiver.received) == (401, [])


async def test_quiet_http_platform_is_stale_only_with_an_invalid_token(server, http_platform, until):
    await asyncio.sleep(2 * QUIET_HTTP.total_seconds())
    quiet = http_platform.health
    server.bot_token = "xoxb-another"
    await until(lambda: http_platform.health.state == "deaf")
    await until(lambda: http_platform.health.state == "stopped")

    assert (quiet.state, quiet.reconnects) == ("live", 0)
    assert "invalid_auth" in str(http_platform.health.detail)


async def test_url_verification_is_answered(server, http_platform):
    body = json.dumps({"type": "url_verification", "challenge": "abc"})
    stamp = str(int(time.time()))
    signed = hmac.new(server.signing_secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={signed}"}
    headers["Content-Type"] = "application/json"
    async with ClientSession() as slack, slack.post(server.post_to, data=body, headers=headers) as answer:
        assert await answer.json() == {"challenge": "abc"}


async def test_buttons_are_sent_with_the_last_piece(server, platform):
    await platform.send(TEAM, OutgoingMessage(text="Tea. " * 1000, choices=(Choice(label="Done", says="done"),)))

    assert [len(entry.body["blocks"]) for entry in server.sent.entries] == [1, 2]


async def test_file_of_a_private_reply_is_named_and_not_sent(server, platform):
    chart, ann = SentFile(name="chart.png", media_type="image/png", content=b"PNG"), Person(id="U7", name="Ann")

    await platform.send(TEAM, OutgoingMessage(text="psst", private_to=ann, files=(chart,)))

    assert server.sent.texts == ["psst\n📎 chart.png"]
    assert server.sent.entries[0].files == ()


async def test_command_of_a_function_keeps_its_name(server, make, receiver, running, until):
    platform = make()
    platform.set_commands([Command(name="dice", english="Roll dice", chinese="掷骰子")])
    async with running(platform):
        await until(lambda: server.sockets)
        await server.command("/dice", "sides=6")
        await receiver.wait_for(1)

    assert receiver.texts == ["/dice sides=6"]


async def test_member_on_a_later_page_is_found(server, platform):
    server.members_per_page = 1

    assert await platform.is_member(TEAM, "U8")
