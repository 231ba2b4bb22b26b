"""Slack's events, as its documentation shows them, become chat messages; what the bot says becomes blocks."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.platforms.base import Choice, OutgoingMessage
from bot.platforms.slack import requests, wire
from bot.platforms.slack.events import Command, Interaction, Message
from services.kernel.chat import BotAdded, ChatAddress, MessageEdited, MessageWithdrawn, Person

EVENTS = json.loads(Path(__file__).with_name("events.json").read_text(encoding="utf-8"))
ME = wire.Account(user_id="UBOT", bot_id="BBOT", bot_name="Bubbles")
PEOPLE = {"U7": Person(id="U7", name="Ann", is_admin=True, username="ann.lee"), "U8": Person(id="U8", name="Wei")}
TEAM = ChatAddress(platform="slack", chat_id="C1")
NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)


def read_event(name):
    return wire.to_incoming(Message.model_validate(EVENTS[name]), ME, PEOPLE)


def blocks(text, **more):
    return requests.messages(TEAM, OutgoingMessage(text=text, **more))[0]["blocks"]


def test_marks_are_shown_as_people_see_them():
    message = read_event("message")

    assert message.text == (
        "@Bubbles remind @Wei to read the plan (https://example.org/?a=1&b=2) in #general <now> @here"
    )
    assert message.is_addressed
    assert message.mentions == (Person(id="U8", name="Wei"),)


def test_people_of_a_message_are_those_named_in_it():
    assert wire.users_in(Message.model_validate(EVENTS["message"])) == {"UBOT", "U7", "U8"}


def test_profiles_of_few_people_are_requested_for_a_message_with_many_marks():
    message = Message(user="U7", text=" ".join(f"<@UX{number}>" for number in range(3000)))

    users = wire.users_in(message)

    assert "U7" in users
    assert len(users) <= 51


def test_the_sender_has_the_name_and_rights_of_the_profile():
    assert read_event("message").sender == Person(id="U7", name="Ann", is_admin=True, username="ann.lee")


def test_message_in_a_thread_is_answered_there_and_a_thread_of_the_bot_is_addressed():
    message = read_event("thread")

    assert (message.address.thread_id, message.is_addressed) == ("1795168800.000100", True)


def test_first_message_of_a_thread_is_in_the_channel():
    assert read_event("root of a thread").address == TEAM


def test_a_private_message_is_private_and_addressed():
    message = read_event("private")

    assert (message.is_private, message.is_addressed) == (True, True)


def test_mention_reported_twice_has_one_id():
    assert read_event("mention").id == read_event("message").id


def test_a_file_is_described():
    assert [(each.kind, each.description) for each in read_event("file").attachments] == [("pdf", "plan.pdf")]


@pytest.mark.parametrize("name", ["own", "somebody joined", "preview"])
def test_message_of_the_bot_or_system_is_ignored(name):
    assert read_event(name) is None


def test_another_bot_is_a_bot():
    assert read_event("another bot").sender.is_bot


def test_an_edit_names_the_message_and_its_new_text():
    assert read_event("edit") == MessageEdited(
        address=TEAM,
        message_id="1795168800.000100",
        text="coffee",
        at=datetime.fromtimestamp(1795168860.0001, UTC),
    )


@pytest.mark.parametrize("name", ["deletion", "deletion with replies"])
def test_a_deletion_withdraws_the_message(name):
    withdrawn = read_event(name)

    assert isinstance(withdrawn, MessageWithdrawn)
    assert withdrawn.message_id == "1795168800.000100"


def test_a_bare_command_asks_for_help():
    command = Command(command="/bubbles", channel_id="C1", user_id="U7", trigger_id="1")

    assert wire.to_command(command, PEOPLE, NOW).text == "/help"


def test_pressed_button_is_a_reply_to_its_message():
    pressed = Interaction.model_validate(
        {
            "type": "block_actions",
            "user": {"id": "U7"},
            "channel": {"id": "C1"},
            "message": {"ts": "1.1"},
            "actions": [{"action_id": "say-0", "value": "snooze 10 min", "action_ts": "2.1"}],
        }
    )
    message = wire.to_pressed(pressed, PEOPLE, NOW)

    assert (message.text, message.reply_to, message.sender.name) == ("snooze 10 min", "1.1", "Ann")


def test_pressed_button_of_a_private_reply_is_a_reply_to_it():
    pressed = Interaction.model_validate(
        {
            "type": "block_actions",
            "user": {"id": "U7"},
            "channel": {"id": "C1"},
            "container": {"type": "message", "message_ts": "1.1", "channel_id": "C1", "is_ephemeral": True},
            "actions": [{"action_id": "say-0", "value": "undo", "action_ts": "2.1"}],
        }
    )
    message = wire.to_pressed(pressed, PEOPLE, NOW)

    assert (message.text, message.reply_to, message.address) == ("undo", "1.1", TEAM)


def test_pressed_button_of_the_first_message_of_a_thread_is_in_the_channel():
    pressed = Interaction.model_validate(
        {
            "type": "block_actions",
            "user": {"id": "U7"},
            "channel": {"id": "C1"},
            "message": {"ts": "1.1", "thread_ts": "1.1"},
            "actions": [{"action_id": "say-0", "value": "undo", "action_ts": "2.1"}],
        }
    )

    assert wire.to_pressed(pressed, PEOPLE, NOW).address == TEAM


@pytest.mark.parametrize("text", ["pick one", "pick one " * 1_000, ""])
def test_edited_message_keeps_its_buttons(text):
    message = OutgoingMessage(text=text, choices=(Choice(label="Yes", says="yes"),))

    body = requests.edit_body(TEAM, "1.1", message)

    assert (body["channel"], body["ts"], body["blocks"][-1]["type"]) == ("C1", "1.1", "actions")


def test_text_that_looks_like_marks_stays_text():
    assert blocks("<!channel> &amp; <@U8>")[0]["elements"][0]["elements"] == [
        {"type": "text", "text": "<!channel> &amp; <@U8>"}
    ]


def test_people_and_everyone_are_elements_of_their_own():
    sent = blocks("@Ann tea", mentions=(Person(id="U7", name="Ann"),), mentions_everyone=True)
    kinds = [part["type"] for part in sent[0]["elements"][0]["elements"]]

    assert "user" in kinds
    assert "broadcast" in kinds


def test_code_is_its_own_block():
    sections = blocks("Try:\n```py\na = 1\n```\nthen")[0]["elements"]

    assert [section["type"] for section in sections] == [
        "rich_text_section",
        "rich_text_preformatted",
        "rich_text_section",
    ]


def test_buttons_have_their_labels():
    sent = blocks("tea?", choices=(Choice(label="Yes", says="yes please"),))

    assert [(each["text"]["text"], each["value"]) for each in sent[1]["elements"]] == [("Yes", "yes please")]


def test_the_text_of_notifications_is_escaped():
    assert requests.messages(TEAM, OutgoingMessage(text="a < b & c"))[0]["text"] == "a &lt; b &amp; c"


def test_a_channel_that_the_bot_is_invited_to_is_new():
    assert read_event("bot added") == BotAdded(address=TEAM)


def test_join_of_another_person_is_ignored():
    assert read_event("member joined") is None
