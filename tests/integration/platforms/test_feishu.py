"""The Feishu adapter through Feishu's SDK, against a server that speaks the long connection and the open API."""

import pytest
from pydantic import SecretStr

from bot.platform import OutgoingMessage
from bot.platform_kit.connection import ConnectionRefusedForGood
from bot.platforms.feishu.settings import FeishuSettings
from bot.testing.chat_servers.feishu import FeishuServer
from bot.testing.chat_servers.loopback import Trouble
from services.chat import ChatAddress, Person
from services.clock import SystemClock
from services.errors import DeliveryFailed

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # the SDK and what it brings
]

TEAM = ChatAddress(platform="feishu", chat_id="oc_1")


@pytest.fixture
async def server():
    async with FeishuServer() as server:
        yield server


@pytest.fixture
def make(server):
    from bot.platforms.feishu.adapter import FeishuPlatform

    def platform(**settings):
        secrets = {"app_id": server.app_id, "app_secret": SecretStr(server.app_secret)}
        return FeishuPlatform(FeishuSettings(domain=server.url, **{**secrets, **settings}), SystemClock(), "Bubbles")

    return platform


@pytest.fixture
async def platform(server, make, running, until):
    async with running(make()) as platform:
        await until(lambda: server.sockets, seconds=60)
        yield platform


async def test_a_message_is_heard_acknowledged_and_answered_as_a_reply(server, platform, ear, until):
    mention = {"key": "@_user_1", "id": {"open_id": "ou_bot"}, "name": "Bubbles"}
    await server.say("@_user_1 提醒我五点喝茶", more={"mentions": [mention]})
    await ear.hears(1)
    await until(lambda: server.waits_for == 0)
    await platform.send(TEAM, OutgoingMessage(text="**好的**", reply_to=ear.heard[0].id))

    assert (ear.texts, ear.heard[0].is_addressed) == (["@Bubbles 提醒我五点喝茶"], True)
    assert [(said.chat, said.text) for said in server.said.entries] == [(f"reply:{ear.heard[0].id}", "好的")]


async def test_a_person_has_the_name_of_the_address_book(server, platform, ear):
    await server.say("hello")
    await ear.hears(1)

    assert ear.heard[0].sender == Person(id="ou_7", name="Person ou_7")


async def test_what_was_not_acknowledged_comes_again_over_the_next_line(server, platform, ear, until):
    await server.say("one")
    await until(lambda: server.waits_for == 0)
    await server.disconnect()
    await server.say("two")
    await ear.hears(2)

    assert ear.texts == ["one", "two"]


async def test_a_message_with_the_same_key_is_said_once(server, platform):
    message = OutgoingMessage(text="⏰ tea", idempotency_key="r1")

    assert await platform.send(TEAM, message) == await platform.send(TEAM, message)
    assert server.said.texts == ["⏰ tea"]


async def test_a_reply_to_what_is_gone_is_said_in_the_chat(server, platform):
    server.troubles.append(Trouble(status=400, body={"code": 230011, "msg": "The message was withdrawn."}))

    await platform.send(TEAM, OutgoingMessage(text="tea", reply_to="om_gone"))

    assert [said.chat for said in server.said.entries] == ["oc_1"]


async def test_a_limit_is_passed_on_with_its_seconds(server, platform):
    body = {"code": 99991400, "msg": "request trigger frequency limit"}
    server.troubles.append(Trouble(status=429, body=body, headers={"x-ogw-ratelimit-reset": "7"}))

    with pytest.raises(DeliveryFailed) as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.retry_after == 7


async def test_a_lost_answer_leaves_it_unknown_whether_the_message_arrived(server, platform):
    server.troubles.append(Trouble(is_cut=True, is_taken=True))

    with pytest.raises(DeliveryFailed) as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.is_unknown


async def test_a_reaction_goes_by_its_name(server, platform):
    await platform.react(TEAM, "om_1", "✅")

    assert server.calls[-1] == ("react:om_1", {"reaction_type": {"emoji_type": "DONE"}})


async def test_a_wrong_secret_is_refused_for_good(make, ear):
    with pytest.raises(ConnectionRefusedForGood, match="app ID"):
        await make(app_secret=SecretStr("wrong")).run(ear.receive)
