"""Telegram's updates, as its documentation shows them, become chat messages; what the bot says becomes requests."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiogram.types import Update

from bot.platforms.base import Choice, OutgoingMessage
from bot.platforms.telegram import requests
from bot.platforms.telegram.wire import Account, to_incoming
from services.kernel.chat import BotAdded, ChatAddress, ChatMoved, MessageEdited, Person
from services.kernel.errors import DeliveryFailed
from tests.support.chat_servers.telegram_markup import visible_text

UPDATES = json.loads(Path(__file__).with_name("updates.json").read_text(encoding="utf-8"))
ME = Account(id=1, username="bubbles_bot", bot_name="Bubbles")
NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
TEAM = ChatAddress(platform="telegram", chat_id="-1001")


def read_update(name, admins=()):
    return to_incoming(Update.model_validate(UPDATES[name]), ME, NOW, admins)


def request(text, address=TEAM, **more):
    return requests.messages(address, OutgoingMessage(text=text, **more))[0]


def test_a_mention_of_the_bot_is_its_name_and_addresses_it():
    message = read_update("group mention")

    assert message.is_addressed
    assert message.text == "🎉 @Bubbles remind @tom_b and @Wei to stretch"


def test_people_are_mentioned_by_id_or_else_by_user_name():
    assert [(person.id, person.name) for person in read_update("group mention").mentions] == [
        ("@tom_b", "tom_b"),
        ("8", "Wei"),
    ]


def test_the_sender_is_known_by_number_full_name_and_user_name():
    ann = Person(id="7", name="Ann Lee", is_admin=True, username="ann_lee")

    assert read_update("group mention", admins={"7"}).sender == ann


def test_the_time_is_an_instant():
    assert read_update("private").sent_at == datetime(2026, 11, 20, 10, tzinfo=UTC)


def test_a_command_with_the_name_of_the_bot_is_for_the_bot():
    message = read_update("command")

    assert (message.text, message.is_addressed) == ("/remind tea at 5", True)


def test_a_command_of_another_bot_is_not():
    message = read_update("command of another bot")

    assert (message.text, message.is_addressed) == ("/remind@other_bot tea at 5", False)


def test_a_private_chat_is_private_and_always_addressed():
    message = read_update("private")

    assert (message.is_private, message.is_addressed) == (True, True)


def test_message_of_a_topic_is_answered_there_and_is_no_reply():
    message = read_update("topic")

    assert (message.address.thread_id, message.reply_to) == ("3", None)


def test_a_reply_to_the_bot_is_addressed():
    message = read_update("reply to the bot")

    assert (message.reply_to, message.is_addressed) == ("4", True)


@pytest.mark.parametrize(
    ("name", "kind", "description"), [("photo", "photo", ""), ("document", "document", "plan.pdf")]
)
def test_files_are_described(name, kind, description):
    assert [(each.kind, each.description) for each in read_update(name).attachments] == [(kind, description)]


def test_join_notice_is_not_a_message():
    assert read_update("somebody joined") is None


def test_an_anonymous_administrator_is_a_person_with_rights():
    sender = read_update("anonymous administrator").sender

    assert (sender.id, sender.is_bot, sender.is_admin) == ("-1001", False, True)


def test_another_bot_is_a_bot():
    assert read_update("another bot").sender.is_bot


def test_pressed_button_is_a_message_of_its_person():
    message = read_update("button")

    assert (message.text, message.sender.id, message.reply_to) == ("snooze 10 min", "7", "4")


def test_a_button_is_pressed_now_however_old_the_message_above_it_is():
    assert read_update("button").sent_at == NOW


def test_an_edited_message_names_the_one_it_replaces():
    assert read_update("edited") == MessageEdited(
        address=TEAM, message_id="5", text="coffee", at=datetime(2026, 11, 20, 10, 1, tzinfo=UTC)
    )


def test_markdown_becomes_html_and_everything_else_is_escaped():
    text = request("**Tea** at *five* & `<b>` <script> [here](https://example.org/?a=1&b=2)")["text"]

    assert text.startswith("<b>Tea</b> at <i>five</i> &amp; <code>&lt;b&gt;</code> &lt;script&gt;")
    assert visible_text(text) == "Tea at five & <b> <script> here"


def test_a_topic_is_answered_in_it():
    assert request("tea", ChatAddress(platform="telegram", chat_id="-1001", thread_id="3"))["message_thread_id"] == 3


def test_a_reply_goes_out_even_if_the_message_is_gone():
    assert request("tea", reply_to="5")["reply_parameters"]["allow_sending_without_reply"]


def test_member_known_by_user_name_is_mentioned_as_written():
    text = request("⏰ @tom_b tea", mentions=(Person(id="@tom_b", name="tom_b"),))["text"]

    assert text == "⏰ @tom_b tea"


def test_a_button_that_says_too_much_for_telegram_is_left_out():
    choices = (Choice(label="Done", says="done"), Choice(label="Long", says="提" * 30))

    assert request("tea", choices=choices)["reply_markup"]["inline_keyboard"] == [
        [{"text": "Done", "callback_data": "done"}]
    ]


def test_a_text_of_emoji_is_counted_as_telegram_counts():
    sent = requests.messages(TEAM, OutgoingMessage(text="🎉 " * 3000))

    assert all(requests.units(each["text"]) <= 4096 for each in sent)


def test_only_supergroups_have_links():
    assert requests.link(TEAM, "5") == "https://t.me/c/1/5"
    assert requests.link(ChatAddress(platform="telegram", chat_id="-5"), "5") is None


def test_messages_of_the_group_that_became_a_supergroup_have_no_link():
    assert requests.link(TEAM, "-5/5") is None


@pytest.mark.parametrize("name", ["group became a supergroup", "supergroup made of a group"])
def test_group_that_became_a_supergroup_has_moved(name):
    assert read_update(name) == ChatMoved(address=TEAM, previous=ChatAddress(platform="telegram", chat_id="-5"))


def test_new_group_has_the_language_of_the_person_who_added_the_bot():
    assert read_update("bot added") == BotAdded(address=TEAM, language="zh")


@pytest.mark.parametrize("name", ["bot made administrator", "bot removed", "private chat begun"])
def test_other_membership_changes_of_the_bot_are_ignored(name):
    assert read_update(name) is None


@pytest.mark.parametrize("text", ["𐀀𐀀 tea", "\ud800 tea"])
def test_mention_that_splits_a_surrogate_pair_breaks_nothing(text):
    update = UPDATES["group mention"]
    cut = {**update["message"], "text": text, "entities": [{"type": "mention", "offset": 1, "length": 2}]}

    message = to_incoming(Update.model_validate({**update, "message": cut}), ME, NOW)

    assert message.text.endswith(" tea")


def test_user_name_of_a_known_author_becomes_their_account():
    tom = Person(id="42", name="Tom Brown")
    me = Account(id=1, username="bubbles_bot", bot_name="Bubbles", people={"tom_b": tom})
    message = to_incoming(Update.model_validate(UPDATES["group mention"]), me, NOW)

    assert message.mentions[0] == tom
    assert "@Tom Brown" in message.text


def test_address_without_a_number_is_refused_for_good():
    with pytest.raises(DeliveryFailed) as error:
        requests.messages(ChatAddress(platform="telegram", chat_id="@team"), OutgoingMessage(text="tea"))

    assert error.value.is_permanent
