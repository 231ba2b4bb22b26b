"""The OneBot adapter, against a client that speaks the standard in all three ways."""

import asyncio
import json

import pytest
from aiohttp import ClientSession, WSServerHandshakeError
from pydantic import SecretStr

from bot.config.platform_catalog import OneBotSettings
from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.connection import ConnectionRefusedForGood
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from tests.support.chat_servers import onebot_forms as forms
from tests.support.chat_servers.loopback import Trouble
from tests.support.chat_servers.onebot import OneBotClient

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

TEAM = ChatAddress(platform="onebot", chat_id="100")
MODES = ("reverse", "forward", "http")
PAGE_HEADERS = {"Origin": "https://evil.example"}


@pytest.fixture
async def client():
    async with OneBotClient(token="token", secret="secret") as client:
        yield client


@pytest.fixture
def make(client):
    from bot.platforms.onebot.adapter import OneBotPlatform

    def platform(mode, **more):
        url = {"forward": client.socket_url, "http": client.url}.get(mode, "")
        secrets = {"token": SecretStr("token"), "secret": SecretStr("secret"), **more}
        return OneBotPlatform(OneBotSettings(mode=mode, url=url, port=0, **secrets), SystemClock(), "Bubbles")

    return platform


@pytest.fixture
def connect(client, until):
    async def join(platform, mode):
        await until(lambda: mode == "forward" or platform.port)
        if mode == "reverse":
            await client.dial(f"ws://127.0.0.1:{platform.port}/onebot/v11/ws")
        if mode == "http":
            client.post_to = f"http://127.0.0.1:{platform.port}/onebot/v11/"
        await until(lambda: platform.health.state == "live")

    return join


@pytest.mark.parametrize("mode", MODES)
async def test_message_is_received_and_answered(mode, client, make, receiver, running, connect):
    async with running(make(mode)) as platform:
        await connect(platform, mode)
        await client.say("[CQ:at,qq=1] 提醒我五点喝茶")
        await receiver.wait_for(1)
        sent = await platform.send(TEAM, OutgoingMessage(text="**好的**", reply_to=receiver.received[0].id))

    assert (receiver.texts, receiver.received[0].is_addressed) == (["@Bubbles 提醒我五点喝茶"], True)
    assert [(entry.text, entry.id) for entry in client.sent.entries] == [("好的", sent)]


@pytest.mark.parametrize("mode", ["reverse", "forward"])
async def test_messages_during_a_broken_connection_are_received_later(mode, client, make, receiver, running, connect):
    async with running(make(mode)) as platform:
        await connect(platform, mode)
        await client.say("one")
        await receiver.wait_for(1)
        await client.hang_up()
        await client.say("two")
        if mode == "reverse":
            await client.dial(f"ws://127.0.0.1:{platform.port}/onebot/v11/ws")
        await receiver.wait_for(2)

    assert receiver.texts == ["one", "two"]


async def test_client_with_a_wrong_token_is_refused(client, make, running, connect):
    client.token = "wrong"
    async with running(make("reverse")) as platform:
        with pytest.raises(Exception, match="403"):
            await connect(platform, "reverse")


@pytest.mark.parametrize(("secret", "status"), [("", "401"), ("guessed", "403")])
async def test_event_with_a_wrong_signature_is_refused(client, make, receiver, running, connect, secret, status):
    async with running(make("http")) as platform:
        await connect(platform, "http")
        client.secret = secret
        with pytest.raises(Exception, match=status):
            await client.say("tea")

    assert receiver.received == []


async def test_web_page_is_refused_as_the_client_without_a_token(make, receiver, running, until):
    async with running(make("reverse", token=SecretStr(""))) as platform, ClientSession() as browser:
        await until(lambda: platform.port)
        with pytest.raises(WSServerHandshakeError, match="403"):
            await browser.ws_connect(f"ws://127.0.0.1:{platform.port}/onebot/v11/ws", headers=PAGE_HEADERS)


async def test_events_of_a_web_page_are_refused_without_a_secret(client, make, receiver, running, connect):
    async with running(make("http", secret=SecretStr(""))) as platform, ClientSession() as browser:
        await connect(platform, "http")
        event = json.dumps(forms.message(1, "tea", group="100", sender="7", name="", role="member"))
        async with browser.post(client.post_to, data=event, headers=PAGE_HEADERS) as answer:
            status = answer.status

    assert (status, receiver.received) == (403, [])


async def test_token_refused_by_the_client_is_a_permanent_failure(client, make, receiver):
    platform = make("forward", token=SecretStr("wrong"))

    with pytest.raises(ConnectionRefusedForGood):
        await platform.run(receiver.receive)


@pytest.mark.parametrize("mode", MODES)
async def test_delivery_without_an_answer_has_an_unknown_outcome(mode, client, make, running, connect):
    client.troubles.append(Trouble(is_cut=True, is_taken=True))
    async with running(make(mode)) as platform:
        await connect(platform, mode)
        with pytest.raises(DeliveryFailed) as failure:
            await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.is_unknown


async def test_message_without_a_connected_client_is_not_sent(make, running):
    async with running(make("reverse")) as platform:
        with pytest.raises(DeliveryFailed) as failure:
            await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert not failure.value.is_unknown


async def test_refused_message_is_a_permanent_failure_with_its_reason(client, make, running, connect):
    body = {"status": "failed", "retcode": 120, "wording": "group is muted"}
    client.troubles.append(Trouble(status=200, body=body))
    async with running(make("forward")) as platform:
        await connect(platform, "forward")
        with pytest.raises(DeliveryFailed, match="muted") as failure:
            await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.is_permanent


async def test_people_and_everyone_are_mentioned_by_segments_only(client, make, running, connect):
    ann = Person(id="7", name="Ann")
    message = OutgoingMessage(text="@Ann [CQ:at,qq=all] tea", mentions=(ann,))
    async with running(make("forward")) as platform:
        await connect(platform, "forward")
        await platform.send(TEAM, message)

    segments = client.sent.entries[0].body["message"]
    assert [segment["type"] for segment in segments] == ["at", "text"]
    assert segments[1]["data"]["text"] == " [CQ:at,qq=all] tea"


async def test_aiocqhttp_accepts_the_client(client):
    import socket

    from aiocqhttp import CQHttp

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bot = CQHttp(access_token="token")

    @bot.on_message("group")
    async def echo(event):
        await bot.send(event, f"echo: {event.raw_message}")

    serving = asyncio.create_task(bot.run_task(host="127.0.0.1", port=port))
    async with asyncio.timeout(20):
        while True:
            try:
                await client.dial(f"ws://127.0.0.1:{port}/ws/")
                break
            except OSError:
                await asyncio.sleep(0.1)
        await client.say("你好")
        await client.sent.wait_for_count(1)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)

    assert client.sent.texts == ["echo: 你好"]
