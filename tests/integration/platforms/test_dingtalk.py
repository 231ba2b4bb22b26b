"""The DingTalk adapter through DingTalk's SDK, against a server that speaks Stream mode and the robot's API."""

import time

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import DingTalkSettings
from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.connection import ConnectionRefusedForGood
from services.kernel.chat import ChatAddress, Person, SentFile
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from tests.support.chat_servers.dingtalk import DingTalkServer
from tests.support.chat_servers.loopback import Trouble

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

TEAM = ChatAddress(platform="dingtalk", chat_id="cid1")
CHART = SentFile(name="chart.png", media_type="image/png", content=b"PNG")
TABLE = SentFile(name="table.csv", media_type="text/csv", content=b"a,b")


@pytest.fixture
async def server():
    async with DingTalkServer() as server:
        yield server


@pytest.fixture
def make(server):
    from bot.platforms.dingtalk.adapter import DingTalkPlatform

    def platform(**settings):
        secrets = {"client_id": server.client_id, "client_secret": SecretStr(server.client_secret)}
        return DingTalkPlatform(
            DingTalkSettings(api_url=server.url, media_url=server.url, **{**secrets, **settings}),
            SystemClock(),
            "Bubbles",
        )

    return platform


@pytest.fixture
async def platform(server, make, running, until):
    async with running(make()) as platform:
        await until(lambda: server.sockets)
        yield platform


async def test_message_is_received_acknowledged_and_answered_in_its_chat(server, platform, receiver, until):
    await server.say("提醒我五点喝茶")
    await receiver.wait_for(1)
    await platform.send(TEAM, OutgoingMessage(text="**好的** @Ann", mentions=(Person(id="staff7", name="Ann"),)))
    await until(lambda: server.waits_for == 0)

    assert (receiver.texts, receiver.received[0].is_addressed) == (["提醒我五点喝茶"], True)
    assert server.sent.texts == ["好的 @staff7"]
    assert server.sent.entries[0].body["at"] == {"atUserIds": ["staff7"], "isAtAll": False}


async def test_message_without_a_session_is_sent_by_the_api(server, platform):
    sent = await platform.send(TEAM, OutgoingMessage(text="⏰ tea"))

    assert sent is not None
    assert server.sent.entries[0].body["openConversationId"] == "cid1"


async def test_private_message_is_sent_to_the_staff_id(server, platform):
    await platform.send(ChatAddress(platform="dingtalk", chat_id="private-staff7"), OutgoingMessage(text="⏰ tea"))

    assert server.sent.entries[0].body["userIds"] == ["staff7"]


async def test_expired_session_address_is_not_used(server, platform, receiver):
    await server.say("hello", session_ends_at=time.time() + 30)
    await receiver.wait_for(1)
    await platform.send(TEAM, OutgoingMessage(text="hello"))

    assert "openConversationId" in server.sent.entries[0].body


async def test_refused_access_token_is_renewed(server, platform):
    await platform.send(TEAM, OutgoingMessage(text="one"))
    server.tokens += 1  # another process has fetched a token, which invalidates the first
    await platform.send(TEAM, OutgoingMessage(text="two"))

    assert server.sent.texts == ["one", "two"]


async def test_unacknowledged_message_arrives_over_the_next_connection(server, platform, receiver, until):
    await server.say("one")
    await until(lambda: server.waits_for == 0)
    await server.disconnect()
    await server.say("two")
    await receiver.wait_for(2)

    assert receiver.texts == ["one", "two"]


async def test_platform_reconnects_at_the_request_of_dingtalk(server, platform, receiver, until):
    headers = {"topic": "disconnect", "messageId": "1", "contentType": "application/json"}
    for socket in list(server.sockets):
        await socket.send_json({"specVersion": "1.0", "type": "SYSTEM", "headers": headers, "data": "{}"})
    await until(lambda: len(server.calls) == 2 and server.sockets)
    await server.say("tea")
    await receiver.wait_for(1)

    assert receiver.texts == ["tea"]


async def test_rate_limit_without_seconds_lasts_a_minute(server, platform):
    server.troubles.append(Trouble(status=200, body={"errcode": 130101, "errmsg": "send too fast"}))

    with pytest.raises(DeliveryFailed) as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.retry_after == 60


async def test_files_are_sent_by_the_api_and_their_text_by_session(server, platform, receiver):
    await server.say("the numbers, please")
    await receiver.wait_for(1)
    await platform.send(TEAM, OutgoingMessage(text="here", files=(CHART, TABLE)))
    words, *entries = server.sent.entries

    assert (words.text, "msgtype" in words.body) == ("here", True)
    assert [(each.body["msgKey"], each.files) for each in entries] == [
        ("sampleImageMsg", ("chart.png",)),
        ("sampleFile", ("table.csv.zip",)),
    ]


async def test_file_is_sent_with_a_renewed_access_token(server, platform):
    await platform.send(TEAM, OutgoingMessage(text="one"))
    server.tokens += 1
    await platform.send(TEAM, OutgoingMessage(text="", files=(CHART,)))

    assert server.sent.entries[-1].files == ("chart.png",)


async def test_delivery_without_an_answer_has_an_unknown_outcome(server, platform):
    server.troubles.append(Trouble(is_cut=True, is_taken=True))

    with pytest.raises(DeliveryFailed) as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.is_unknown


async def test_wrong_secret_is_a_permanent_failure(make, receiver):
    with pytest.raises(ConnectionRefusedForGood, match="secret"):
        await make(client_secret=SecretStr("wrong")).run(receiver.receive)
