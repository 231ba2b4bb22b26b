"""The Telegram adapter through aiogram, against a server that speaks the Bot API."""

import asyncio
import json
import socket
from datetime import timedelta

import pytest
from aiohttp import ClientSession
from pydantic import SecretStr

from bot.config.platform_catalog import TelegramSettings
from bot.platforms.base import Choice, Command, OutgoingMessage
from bot.platforms.kit.connection import ConnectionRefusedForGood
from services.kernel.chat import BotAdded, ChatAddress, ChatMoved, MessageEdited, Person, Reaction, SentFile
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from tests.support.chat_servers import telegram_forms as forms
from tests.support.chat_servers.loopback import Trouble
from tests.support.chat_servers.telegram import TelegramServer

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

TEAM = ChatAddress(platform="telegram", chat_id="-100")
CHART = SentFile(name="chart.png", media_type="image/png", content=b"\x89PNG")


@pytest.fixture
async def server():
    async with TelegramServer() as server:
        yield server


@pytest.fixture
def make(server):
    from bot.platforms.telegram.adapter import TelegramPlatform

    def platform(*, stale_after=None, **settings):
        options = {"token": SecretStr(server.token), "api_url": server.url, "poll_seconds": 1, **settings}
        return TelegramPlatform(TelegramSettings(**options), SystemClock(), "Bubbles", stale_after=stale_after)

    return platform


@pytest.fixture
async def platform(make, running):
    async with running(make()) as platform:
        yield platform


@pytest.mark.parametrize("message", [OutgoingMessage(text="tea"), OutgoingMessage(text="", files=(CHART,))])
async def test_page_of_a_gateway_instead_of_json_is_a_failed_delivery(server, platform, message):
    server.troubles.append(Trouble(status=502, html="<html><h1>502 Bad Gateway</h1></html>"))
    with pytest.raises(DeliveryFailed, match="undecodable") as failure:
        await platform.send(TEAM, message)

    assert failure.value.is_unknown


async def test_message_is_received_and_answered(server, make, receiver, running):
    async with running(make()) as platform:
        await server.say(
            "@bubbles_bot 提醒我五点喝茶", more={"entities": [{"type": "mention", "offset": 0, "length": 12}]}
        )
        await receiver.wait_for(1)
        await platform.send(TEAM, OutgoingMessage(text="**好的** <1>", reply_to=receiver.received[0].id))

    assert receiver.received[0].text == "@Bubbles 提醒我五点喝茶"
    assert receiver.received[0].is_addressed
    assert server.sent.texts == ["好的 <1>"]


async def test_update_of_an_unknown_form_does_not_hold_up_the_others(server, make, receiver, running):
    async with running(make()):
        await server.update({"message": {"text": "without an id"}})
        await server.say("one")
        await server.update({"message": {"text": "without an id"}})
        await server.say("two")
        await receiver.wait_for(2)
        await server.update({"message": {"text": "without an id"}})
        await server.say("three")
        await receiver.wait_for(3)

    assert [each.text for each in receiver.received] == ["one", "two", "three"]


async def test_messages_are_read_when_the_commands_are_refused(server, make, receiver, running):
    server.refuses_commands = True
    async with running(make()):
        await server.say("hello")
        await receiver.wait_for(1)

    assert receiver.texts == ["hello"]


async def test_messages_go_to_the_supergroup_that_a_group_became(server, platform):
    server.supergroups["-5"] = -100
    group = ChatAddress(platform="telegram", chat_id="-5")
    sent = await platform.send(group, OutgoingMessage(text="tea"))
    await platform.edit(group, sent, OutgoingMessage(text="coffee"))
    await platform.typing(group)

    assert [each.chat for each in server.sent.entries] == ["-100"]
    assert server.sent.texts == ["coffee"]
    assert server.calls_of("sendChatAction")[-1]["chat_id"] in {-100, "-100"}
    assert await platform.is_member(group, "7")


async def test_group_that_became_a_supergroup_is_delivered_as_moved(server, make, receiver, running):
    group, supergroup = (ChatAddress(platform="telegram", chat_id=number) for number in ("-5", "-100"))
    async with running(make()) as platform:
        await server.update({"message": {**forms.message(1, "", chat="-5"), "migrate_to_chat_id": -100}})
        await receiver.wait_for(1)
        await platform.send(group, OutgoingMessage(text="tea"))

    assert receiver.received == [ChatMoved(address=supergroup, previous=group)]
    assert [each.chat for each in server.sent.entries] == ["-100"]


async def test_move_of_a_group_is_found_by_a_refused_message(server, make, receiver, running):
    server.supergroups["-5"] = -100
    group, supergroup = (ChatAddress(platform="telegram", chat_id=number) for number in ("-5", "-100"))
    async with running(make()) as platform:
        await server.say("hello")
        await receiver.wait_for(1)
        await platform.send(group, OutgoingMessage(text="tea"))

    assert receiver.received[1:] == [ChatMoved(address=supergroup, previous=group)]


async def test_message_of_the_group_before_it_became_a_supergroup_cannot_be_edited(platform):
    with pytest.raises(DeliveryFailed, match="-5/7"):
        await platform.edit(TEAM, "-5/7", OutgoingMessage(text="tea"))


async def test_message_during_an_outage_is_received_once_later(server, make, receiver, running):
    async with running(make()):
        await server.say("one")
        await receiver.wait_for(1)
        await server.close()
        await server.say("two")
        await server.say("three")
        await server.open()
        await receiver.wait_for(3)
        await asyncio.sleep(0.2)

    assert receiver.texts == ["one", "two", "three"]


async def test_delivery_without_an_answer_has_an_unknown_outcome(server, platform):
    server.troubles.append(Trouble(is_cut=True, is_taken=True))

    with pytest.raises(DeliveryFailed) as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert failure.value.is_unknown


async def test_message_to_an_unreachable_server_is_not_sent(server, platform):
    await server.close()

    with pytest.raises(DeliveryFailed) as failure:
        await platform.send(TEAM, OutgoingMessage(text="tea"))

    assert not failure.value.is_unknown


async def test_long_text_is_sent_in_pieces_with_buttons_on_the_last(server, platform):
    text = "Tea is ready. " * 500
    message = OutgoingMessage(text=text, choices=(Choice(label="Done", says="done"),))

    await platform.send(TEAM, message)

    assert "".join(server.sent.texts).replace(" ", "") == text.replace(" ", "")
    assert ["reply_markup" in entry.body for entry in server.sent.entries] == [False, True]


async def test_pressed_button_sends_its_text_as_the_person(server, make, receiver, running):
    async with running(make()):
        await server.press("done", message_id=55)
        await receiver.wait_for(1)

    pressed = receiver.received[0]
    assert (pressed.text, pressed.reply_to, pressed.sender.id, pressed.is_addressed) == ("done", "55", "7", True)
    assert server.calls_of("answerCallbackQuery")


async def test_edited_message_is_received(server, make, receiver, running):
    async with running(make()):
        message = await server.say("tea")
        await server.update({"edited_message": {**message, "text": "coffee", "edit_date": message["date"] + 5}})
        await receiver.wait_for(2)

    assert isinstance(receiver.received[1], MessageEdited)
    assert receiver.received[1].text == "coffee"


async def test_administrator_of_the_chat_is_an_admin(server, make, receiver, running):
    async with running(make()):
        await server.say("tea", sender="9")
        await receiver.wait_for(1)

    assert receiver.received[0].sender.is_admin


async def test_administrator_who_presses_a_button_is_an_admin(server, make, receiver, running):
    async with running(make()):
        await server.press("done", message_id=55, sender="9")
        await receiver.wait_for(1)

    assert receiver.received[0].sender.is_admin


async def test_person_is_mentioned_by_user_id(server, platform):
    ann = Person(id="7", name="Ann")

    await platform.send(TEAM, OutgoingMessage(text="⏰ @Ann tea", mentions=(ann,)))

    assert '<a href="tg://user?id=7">@Ann</a>' in server.sent.entries[0].body["text"]


async def test_commands_are_registered_in_both_languages(server, make, receiver, running):
    async with running(make()):
        await server.say("tea")
        await receiver.wait_for(1)

    assert [body.get("language_code") for body in server.calls_of("setMyCommands")] == [None, "zh"]


async def test_wrong_token_is_a_permanent_failure(server, make, receiver):
    platform = make(token=SecretStr("2:wrong"))

    with pytest.raises(ConnectionRefusedForGood, match="BotFather"):
        await platform.run(receiver.receive)


@pytest.fixture
def webhook():
    """Return settings of a webhook on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return {
        "webhook_url": f"http://127.0.0.1:{port}",
        "webhook_port": port,
        "webhook_secret": SecretStr("secret"),
    }


async def test_webhook_requires_the_secret(server, make, receiver, running, webhook):
    async with running(make(**webhook)):
        await server.webhook_set.wait()
        url = f"{webhook['webhook_url']}/telegram"
        async with ClientSession() as stranger, stranger.post(url, json={"update_id": 1}) as response:
            status = response.status
        await server.say("tea")
        await receiver.wait_for(1)

    assert status == 403
    assert receiver.texts == ["tea"]


async def test_quiet_webhook_is_live_and_a_replaced_one_is_set_again(server, make, receiver, running, until, webhook):
    async with running(make(stale_after=timedelta(seconds=1), **webhook)) as platform:
        await server.webhook_set.wait()
        await asyncio.sleep(1.3)
        quiet = platform.health.state
        server.webhook = {"url": "https://elsewhere.example/telegram"}
        await until(lambda: platform.health.state == "deaf")
        await until(lambda: server.webhook["url"].startswith(webhook["webhook_url"]))
        await server.say("tea")
        await receiver.wait_for(1)

    assert quiet == "live"


async def test_python_telegram_bot_accepts_the_server(server):
    from telegram.ext import ApplicationBuilder, MessageHandler, filters

    async def echo(update, context):
        await context.bot.send_message(update.message.chat_id, f"echo: {update.message.text}")

    app = ApplicationBuilder().token(server.token).base_url(f"{server.url}/bot").build()
    app.add_handler(MessageHandler(filters.TEXT, echo))
    async with app:
        await app.start()
        await app.updater.start_polling(timeout=1)
        await server.say("你好")
        async with asyncio.timeout(20):
            await server.sent.wait_for_count(1)
        await app.updater.stop()
        await app.stop()

    assert server.sent.texts == ["echo: 你好"]


async def test_being_added_to_a_group_is_received(server, make, receiver, running):
    ann = {"id": 7, "is_bot": False, "first_name": "Ann", "language_code": "en"}
    bot = {"id": 1, "is_bot": True, "first_name": "Bubbles"}
    change = {"date": 1795168800, "chat": {"id": -100, "type": "group", "title": "team"}, "from": ann}
    change |= {"old_chat_member": {"user": bot, "status": "left"}, "new_chat_member": {"user": bot, "status": "member"}}
    async with running(make()):
        await server.update({"my_chat_member": change})
        await receiver.wait_for(1)

    assert receiver.received == [BotAdded(address=TEAM, language="en")]
    assert "my_chat_member" in server.calls_of("getUpdates")[0]["allowed_updates"]


async def test_picture_that_telegram_cannot_show_is_sent_as_a_document(server, platform):
    server.takes_photos = False
    await platform.send(TEAM, OutgoingMessage(text="", files=(CHART,)))

    assert [entry.files for entry in server.sent.entries] == [("chart.png",)]
    assert server.calls_of("sendDocument")


async def test_reactions_are_requested_and_received(server, make, receiver, running):
    async with running(make()):
        await server.react("100", ["👍"], ["🎉"], name="Ann")
        await receiver.wait_for(2)

    ann = Person(id="7", name="Ann")
    assert receiver.received == [
        Reaction(address=TEAM, message_id="100", person=ann, emoji="🎉"),
        Reaction(address=TEAM, message_id="100", person=ann, emoji="👍", is_added=False),
    ]
    assert "message_reaction" in server.calls_of("getUpdates")[0]["allowed_updates"]


async def test_commands_of_functions_are_in_the_menu_of_each_language(server, make, receiver, running):
    platform = make()
    platform.set_commands([Command(name="dice", english="Roll dice", chinese="掷骰子")])
    async with running(platform):
        await server.say("tea")
        await receiver.wait_for(1)

    menus = [json.loads(body["commands"]) for body in server.calls_of("setMyCommands")]
    assert menus == [
        [{"command": "dice", "description": "Roll dice"}],
        [{"command": "dice", "description": "掷骰子"}],
    ]
