"""The Discord adapter through discord.py, against a server that speaks the gateway and REST."""

import asyncio
import time

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import DiscordSettings
from bot.platforms.base import Command, CommandOption, OutgoingMessage
from bot.platforms.kit.connection import ConnectionRefusedForGood
from services.kernel.chat import BotAdded, ChatAddress, MessageEdited, MessageWithdrawn, SentFile
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from tests.support.chat_servers import discord_forms as forms
from tests.support.chat_servers.discord import DiscordServer
from tests.support.chat_servers.loopback import Trouble

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore:'audioop' is deprecated:DeprecationWarning"),  # discord.py's, for voice
]

TEAM = ChatAddress(platform="discord", chat_id="20")


@pytest.fixture
async def server():
    async with DiscordServer() as server:
        with server.redirect_client():
            yield server


@pytest.fixture
def make(server):
    from bot.platforms.discord.adapter import DiscordPlatform

    def platform(**settings):
        options = {"token": SecretStr(server.token), **settings}
        return DiscordPlatform(DiscordSettings(**options), SystemClock(), "Bubbles")

    return platform


@pytest.fixture
async def platform(server, make, running, until):
    async with running(make()) as platform:
        await until(lambda: server.sockets)
        yield platform


async def test_message_is_received_and_answered(server, platform, receiver):
    await server.say("<@1> 提醒我五点喝茶", more={"mentions": [{"id": "1", "username": "bubbles"}]})
    await receiver.wait_for(1)
    await platform.send(TEAM, OutgoingMessage(text="**好的** a_b*c", reply_to=receiver.received[0].id))

    assert (receiver.texts, receiver.received[0].is_addressed) == (["@Bubbles 提醒我五点喝茶"], True)
    assert server.sent.texts == [r"**好的** a\_b\*c"]
    assert server.sent.entries[0].body["message_reference"]["message_id"] == receiver.received[0].id


async def test_broken_session_is_resumed_with_the_missed_events(server, platform, receiver):
    await server.say("one")
    await receiver.wait_for(1)
    await server.disconnect()
    await server.say("two")
    await receiver.wait_for(2, seconds=60)

    assert receiver.texts == ["one", "two"]
    assert (server.sessions, server.resumed) == (1, 1)


async def test_ended_session_is_started_again(server, platform, receiver, until):
    await server.say("one")
    await receiver.wait_for(1)
    await server.invalidate()
    await until(lambda: server.sessions == 2 and server.sockets, seconds=60)
    await server.say("two")
    await receiver.wait_for(2)

    assert receiver.texts == ["one", "two"]


async def test_message_with_the_same_key_is_sent_once(server, platform):
    message = OutgoingMessage(text="⏰ tea", idempotency_key="r1@2026-11-20T17:00")

    first = await platform.send(TEAM, message)
    second = await platform.send(TEAM, message)

    assert first == second
    assert server.sent.texts == ["⏰ tea"]


async def test_long_rate_limit_is_a_failed_delivery_with_its_seconds(server, platform):
    body = {"message": "You are being rate limited.", "retry_after": 64.5, "global": False}
    server.troubles.append(Trouble(status=429, body=body, headers={"Via": "1.1 loopback", "Retry-After": "64"}))

    with pytest.raises(DeliveryFailed) as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.retry_after == 64.5


async def test_message_is_sent_after_a_short_rate_limit(server, platform):
    body = {"message": "You are being rate limited.", "retry_after": 0.1, "global": False}
    server.troubles.append(Trouble(status=429, body=body, headers={"Via": "1.1 loopback"}))

    await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert server.sent.texts == ["tea"]


async def test_global_rate_limit_delays_every_chat(server, platform, until):
    body = {"message": "You are being rate limited.", "retry_after": 0.5, "global": True}
    server.troubles.append(Trouble(status=429, body=body, headers={"Via": "1.1 loopback"}))
    waiting = asyncio.create_task(platform.send(TEAM, OutgoingMessage(text="tea")))
    await until(lambda: not platform._client.http._global_over.is_set())
    start = time.monotonic()
    await platform.send(ChatAddress(platform="discord", chat_id="21"), OutgoingMessage(text="cake"))
    waited = time.monotonic() - start
    await waiting

    assert waited > 0.3
    assert sorted(server.sent.texts) == ["cake", "tea"]


async def test_missing_permission_is_a_permanent_failure(server, platform):
    server.troubles.append(Trouble(status=403, body={"message": "Missing Permissions", "code": 50013}))

    with pytest.raises(DeliveryFailed, match="Missing Permissions") as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.is_permanent


async def test_slash_command_is_received_as_text_and_acknowledged(server, platform, receiver, until):
    await server.command("remind", [{"name": "text", "type": 3, "value": "tea at 5"}])
    await receiver.wait_for(1)
    await until(lambda: server.calls_of("POST", "callback"))

    assert receiver.texts == ["/remind tea at 5"]
    assert server.calls_of("POST", "callback")[0]["type"] == 4


async def test_pressed_button_sends_its_text_as_the_person(server, platform, receiver, until):
    await server.press("done", message_id="900")
    await receiver.wait_for(1)
    await until(lambda: server.calls_of("POST", "callback"))

    assert (receiver.texts, receiver.received[0].reply_to) == (["done"], "900")
    assert server.calls_of("POST", "callback") == [{"type": 6}]


async def test_edits_and_deletions_are_received(server, platform, receiver):
    message = await server.say("tea")
    await server.event(
        "MESSAGE_UPDATE", {**message, "content": "coffee", "edited_timestamp": "2026-11-20T10:01:00+00:00"}
    )
    await server.event("MESSAGE_DELETE", {"id": message["id"], "channel_id": "20", "guild_id": "10"})
    await receiver.wait_for(3)

    assert [type(each) for each in receiver.received[1:]] == [MessageEdited, MessageWithdrawn]


async def test_deletion_of_several_messages_is_received(server, platform, receiver):
    await server.event("MESSAGE_DELETE_BULK", {"ids": ["500", "501"], "channel_id": "20", "guild_id": "10"})
    await receiver.wait_for(2)

    assert [(type(each), each.message_id) for each in receiver.received] == [
        (MessageWithdrawn, "500"),
        (MessageWithdrawn, "501"),
    ]


async def test_owner_of_the_guild_is_an_admin(server, platform, receiver):
    await server.say("hello", sender="9")
    await server.say("hello", sender="7")
    await receiver.wait_for(2)

    assert [message.sender.is_admin for message in receiver.received] == [True, False]


async def test_slash_commands_are_registered_in_both_languages(server, platform):
    commands = server.calls_of("PUT", "/commands")[0]

    assert [command["name"] for command in commands] == ["remind", "reminders", "summary", "search", "help"]
    assert all(command["description_localizations"]["zh-CN"] for command in commands)


async def test_messages_are_read_when_the_slash_commands_are_refused(server, make, receiver, running, until):
    server.refuses_commands = True
    async with running(make()):
        await until(lambda: server.sockets)
        await server.say("Bubbles, hello")
        await receiver.wait_for(1)

    assert receiver.texts == ["Bubbles, hello"]


async def test_function_is_registered_as_a_slash_command_with_typed_options(server, make, receiver, running, until):
    sides = CommandOption(
        name="sides", kind="integer", english="Sides", chinese="面数", is_required=True, minimum=2, maximum=99
    )
    kind = CommandOption(name="kind", kind="text", english="Kind", chinese="种类", choices=("fair", "loaded"))
    platform = make()
    platform.set_commands([Command(name="dice", english="Roll dice", chinese="掷骰子", options=(sides, kind))])
    async with running(platform):
        await until(lambda: server.sockets)
        given = [{"name": "sides", "type": 4, "value": 6}, {"name": "kind", "type": 3, "value": "fair dice"}]
        await server.command("dice", given)
        await receiver.wait_for(1)

    [command] = server.calls_of("PUT", "/commands")[0]
    number, text = command["options"]
    assert (number["type"], number["required"], number["min_value"], number["max_value"]) == (4, True, 2, 99)
    assert (text["type"], [each["value"] for each in text["choices"]]) == (3, ["fair", "loaded"])
    assert command["description_localizations"] == {"zh-CN": "掷骰子"}
    assert receiver.texts == ['/dice sides=6 kind="fair dice"']


async def test_files_are_sent_once_with_the_last_piece(server, platform):
    chart = SentFile(name="chart.png", media_type="image/png", content=b"PNG")
    message = OutgoingMessage(text="Tea. " * 500, files=(chart,), idempotency_key="r1")
    for _ in range(2):
        await platform.send(TEAM, message)

    assert [entry.files for entry in server.sent.entries] == [(), ("chart.png",)]


async def test_mentions_are_received_without_the_message_content_intent(server, make, receiver, running, until):
    server.refuses_intents = True
    async with running(make()) as platform:
        await until(lambda: not platform.reads_content)
        server.refuses_intents = False
        await until(lambda: server.sockets, seconds=60)
        await server.say("<@1> hello", more={"mentions": [{"id": "1", "username": "bubbles"}]})
        await receiver.wait_for(1)

    assert receiver.texts == ["@Bubbles hello"]


async def test_wrong_token_is_a_permanent_failure(make, receiver):
    with pytest.raises(ConnectionRefusedForGood, match="token"):
        await make(token=SecretStr("wrong")).run(receiver.receive)


async def test_only_a_guild_joined_during_the_session_is_new(server, platform, receiver):
    channels = [{**forms.channel(), "id": "31", "guild_id": "30"}]
    await server.event("GUILD_CREATE", {**forms.guild(), "id": "30", "channels": channels})
    await receiver.wait_for(1)
    await server.event("GUILD_DELETE", {"id": "30", "unavailable": True})
    await server.event("GUILD_CREATE", {**forms.guild(), "id": "30", "channels": channels})
    await server.say("hello")
    await receiver.wait_for(2)

    assert receiver.received[0] == BotAdded(address=ChatAddress(platform="discord", chat_id="31"))
    assert receiver.texts == ["hello"]
    assert len(receiver.received) == 2
