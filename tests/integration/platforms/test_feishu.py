"""The Feishu adapter through Feishu's SDK, against a server that speaks the long connection and the open API."""

import json

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import FeishuSettings
from bot.platforms.base import Choice, OutgoingMessage
from bot.platforms.kit.connection import ConnectionRefusedForGood
from services.kernel.chat import ChatAddress, Person, SentFile
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from tests.support.chat_servers.feishu import FeishuServer
from tests.support.chat_servers.loopback import Trouble

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # the SDK and what it brings
]

TEAM = ChatAddress(platform="feishu", chat_id="oc_1")
ANN = Person(id="ou_7", name="Ann")
DONE = Choice(label="Done", says="done")


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


async def test_message_is_received_acknowledged_and_answered_as_a_reply(server, platform, receiver, until):
    mention = {"key": "@_user_1", "id": {"open_id": "ou_bot"}, "name": "Bubbles"}
    await server.say("@_user_1 提醒我五点喝茶", more={"mentions": [mention]})
    await receiver.wait_for(1)
    await until(lambda: server.waits_for == 0)
    await platform.send(TEAM, OutgoingMessage(text="**好的**", reply_to=receiver.received[0].id))

    assert (receiver.texts, receiver.received[0].is_addressed) == (["@Bubbles 提醒我五点喝茶"], True)
    assert [(entry.chat, entry.text) for entry in server.sent.entries] == [(f"reply:{receiver.received[0].id}", "好的")]


async def test_name_of_a_person_is_that_of_the_address_book(server, platform, receiver):
    await server.say("hello")
    await receiver.wait_for(1)

    assert receiver.received[0].sender == Person(id="ou_7", name="Person ou_7")


async def test_unacknowledged_message_arrives_over_the_next_connection(server, platform, receiver, until):
    await server.say("one")
    await until(lambda: server.waits_for == 0)
    await server.disconnect()
    await server.say("two")
    await receiver.wait_for(2)

    assert receiver.texts == ["one", "two"]


async def test_message_with_the_same_key_is_sent_once(server, platform):
    message = OutgoingMessage(text="⏰ tea", idempotency_key="r1")

    assert await platform.send(TEAM, message) == await platform.send(TEAM, message)
    assert server.sent.texts == ["⏰ tea"]


async def test_reply_to_a_deleted_message_is_sent_to_the_chat(server, platform):
    server.troubles.append(Trouble(status=400, body={"code": 230011, "msg": "The message was withdrawn."}))

    await platform.send(TEAM, OutgoingMessage(text="tea", reply_to="om_gone"))

    assert [entry.chat for entry in server.sent.entries] == ["oc_1"]


async def test_delivery_without_an_answer_has_an_unknown_outcome(server, platform):
    server.troubles.append(Trouble(is_cut=True, is_taken=True))

    with pytest.raises(DeliveryFailed) as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.is_unknown


async def test_text_of_a_card_is_escaped_in_its_markdown(server, platform):
    words = "<at id=all></at> *5* [x](https://example.org) `y` &lt;"
    await platform.send(TEAM, OutgoingMessage(text="⏰ @Ann " + words, mentions=(ANN,), choices=(DONE,)))

    [markdown, actions] = json.loads(server.sent.entries[0].body["content"])["elements"]
    assert markdown["content"].startswith("⏰ <at id=ou_7></at> &#60;at id=all&#62;")
    assert markdown["content"].count("<at") == 1
    assert actions["actions"][0]["value"] == {"says": "done"}


async def test_message_is_a_post_when_buttons_are_disabled(server, make, running, until):
    async with running(make(buttons=False)) as platform:
        await until(lambda: server.sockets, seconds=60)
        await platform.send(TEAM, OutgoingMessage(text="tea", choices=(DONE,)))

    assert (server.sent.entries[0].body["msg_type"], platform.capabilities.choices) == ("post", False)


async def test_buttons_of_an_edited_post_are_sent_as_a_reply(server, platform):
    sent = await platform.send(TEAM, OutgoingMessage(text="…"))
    await platform.edit(TEAM, sent, OutgoingMessage(text="which one?", choices=(DONE,)))

    assert [(entry.chat, entry.text) for entry in server.sent.entries] == [
        ("oc_1", "which one?"),
        (f"reply:{sent}", ""),
    ]


async def test_file_that_is_no_picture_is_sent_as_a_file(server, platform):
    table = SentFile(name="table.csv", media_type="text/csv", content=b"a,b")
    await platform.send(TEAM, OutgoingMessage(text="", files=(table,)))

    [entry] = server.sent.entries
    assert (entry.files, entry.body["msg_type"]) == (("table.csv",), "file")


async def test_button_pressed_in_a_private_chat_is_a_private_message(server, platform, receiver):
    await server.say("hello", chat="oc_9", is_private=True)
    await server.press({"says": "done"}, message_id="om_9", chat="oc_9")
    await server.press({"says": "done"}, message_id="om_8")
    await receiver.wait_for(3)

    assert [message.is_private for message in receiver.received] == [True, True, False]


async def test_reaction_of_a_bot_is_ignored(server, platform, receiver):
    await server.react("om_1", "THUMBSUP", sender="")
    await server.say("hello")
    await receiver.wait_for(1)

    assert receiver.texts == ["hello"]


async def test_member_on_a_later_page_is_found(server, platform):
    server.members_per_page = 1

    assert await platform.is_member(TEAM, "ou_8")


async def test_wrong_secret_is_a_permanent_failure(make, receiver):
    with pytest.raises(ConnectionRefusedForGood, match="app ID"):
        await make(app_secret=SecretStr("wrong")).run(receiver.receive)
