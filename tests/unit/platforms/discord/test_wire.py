"""Discord's events, as its documentation shows them, become chat messages; what the bot says becomes bodies."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.platforms.base import Choice, Command, CommandOption, OutgoingMessage
from bot.platforms.discord import requests, wire
from bot.platforms.discord.events import Deleted, Guild, Interaction, Member, Message
from services.kernel.chat import BotAdded, ChatAddress, Person

EVENTS = json.loads(Path(__file__).with_name("events.json").read_text(encoding="utf-8"))
GUILD = wire.Place()


def read_message(name, place=GUILD):
    return wire.to_message(Message.model_validate(EVENTS[name]), "1", "Bubbles", place)


def body(text, **more):
    return requests.messages(OutgoingMessage(text=text, **more))[0]


def test_mentions_are_names_and_the_bot_is_called_by_its_own():
    message = read_message("message")

    assert message.text == "@Bubbles remind @Wei to stretch :wave:"
    assert message.is_addressed
    assert message.mentions == (Person(id="8", name="Wei"),)


def test_the_sender_has_the_name_of_the_guild():
    assert read_message("message", wire.Place(is_admin=True)).sender == Person(
        id="7", name="Annie", is_admin=True, username="ann"
    )


def test_a_thread_is_part_of_its_channel():
    message = read_message("message", wire.Place(parent_id="19"))

    assert message.address == ChatAddress(platform="discord", chat_id="19", thread_id="20")


def test_a_reply_to_the_bot_is_addressed():
    message = read_message("reply")

    assert (message.reply_to, message.is_addressed) == ("900", True)


def test_a_private_message_is_private_and_addressed():
    message = read_message("private")

    assert (message.is_private, message.is_addressed) == (True, True)


def test_a_file_is_described():
    assert [(each.kind, each.description) for each in read_message("file").attachments] == [("image", "cat.png")]


def test_a_webhook_is_a_bot():
    assert read_message("webhook").sender.is_bot


@pytest.mark.parametrize("name", ["own", "somebody joined"])
def test_message_of_the_bot_or_system_is_ignored(name):
    assert read_message(name) is None


def test_an_edit_names_the_message_and_its_new_text():
    edited = wire.to_edited(Message.model_validate(EVENTS["edit"]), "1", "Bubbles", GUILD)

    assert (edited.message_id, edited.text, edited.at) == ("801", "coffee", datetime(2026, 11, 20, 10, 1, tzinfo=UTC))


def test_a_preview_that_was_added_is_no_edit():
    assert wire.to_edited(Message.model_validate(EVENTS["preview"]), "1", "Bubbles", GUILD) is None


def test_a_deleted_message_is_withdrawn():
    now = datetime(2026, 11, 20, tzinfo=UTC)
    deleted = Deleted.model_validate({"id": "801", "channel_id": "20", "guild_id": "10"})

    [withdrawn] = wire.to_withdrawn(deleted, GUILD, now)

    assert withdrawn.message_id == "801"


@pytest.mark.parametrize(
    ("choices", "expected"),
    [(("a", "b"), ["a", "b"]), (("", "b"), None), (("a" * 101,), None), (tuple(map(str, range(26))), None)],
)
def test_option_has_choices_only_within_the_limits_of_discord(choices, expected):
    option = CommandOption(name="kind", kind="text", english="Kind", chinese="种类", choices=choices)
    [command] = requests.commands([Command(name="dice", english="Roll", chinese="掷", options=(option,))])

    found = command["options"][0].get("choices")
    assert (found and [each["value"] for each in found]) == expected


def test_a_slash_command_is_its_text():
    message = wire.to_interaction(Interaction.model_validate(EVENTS["command"]), GUILD)

    assert (message.text, message.is_addressed, message.sender) == (
        "/remind tea at 5",
        True,
        Person(id="7", name="Annie", is_admin=True, username="ann"),
    )


def test_pressed_button_is_a_reply_to_its_message():
    message = wire.to_interaction(Interaction.model_validate(EVENTS["button"]), GUILD)

    assert (message.text, message.reply_to) == ("snooze 10 min", "900")


@pytest.mark.parametrize(
    ("roles", "owner", "expected"), [(("5",), "9", True), (("6",), "9", False), ((), "7", True), ((), "9", False)]
)
def test_guild_manager_has_a_role_or_owns_the_guild(roles, owner, expected):
    assert wire.may_manage(Member(roles=roles), {"5": 1 << 5, "6": 1 << 11}, owner, "7") is expected


def test_only_named_people_are_notified():
    sent = body("@Ann <@9> tea", mentions=(Person(id="7", name="Ann"),))

    assert sent["content"] == r"<@7> \<@9\> tea"
    assert sent["allowed_mentions"] == {"parse": [], "users": ["7"], "replied_user": True}


def test_only_code_mentions_everyone():
    assert body("everyone, tea", mentions_everyone=True)["allowed_mentions"]["parse"] == ["everyone"]
    assert body("@everyone tea")["allowed_mentions"]["parse"] == []


def test_a_key_becomes_a_nonce_that_is_the_same_each_time_and_short_enough():
    first, second = (body("tea", idempotency_key="reminder/2026-11-20T17:00:00+08:00") for _ in range(2))

    assert first["nonce"] == second["nonce"]
    assert (len(first["nonce"]), first["enforce_nonce"]) == (25, True)


def test_the_pieces_of_a_long_text_have_different_keys_and_fit_with_their_escapes():
    sent = requests.messages(OutgoingMessage(text="a_b * c. " * 600, idempotency_key="k"))

    assert all(len(each["content"]) <= 2000 for each in sent)
    assert len({each["nonce"] for each in sent}) == len(sent)


def test_buttons_stand_five_in_a_row():
    choices = tuple(Choice(label=f"{number}", says=f"option {number}") for number in range(7))

    assert [len(row["components"]) for row in body("tea?", choices=choices)["components"]] == [5, 2]


def test_a_line_that_looks_like_a_list_or_heading_is_shown_as_written():
    assert body("- tea\n1 # 2")["content"] == "\\- tea\n1 # 2"


def test_a_new_guild_is_greeted_where_it_greets_newcomers_in_its_language():
    added = wire.to_added(Guild.model_validate(EVENTS["guild"]))

    assert added == BotAdded(address=ChatAddress(platform="discord", chat_id="21"), language="zh")


def test_a_guild_that_greets_nowhere_is_greeted_in_its_first_channel_for_text():
    quiet = Guild.model_validate({**EVENTS["guild"], "system_channel_id": None, "preferred_locale": "en-US"})

    assert wire.to_added(quiet) == BotAdded(address=ChatAddress(platform="discord", chat_id="20"))


def test_a_guild_without_a_channel_for_text_is_not_greeted():
    assert wire.to_added(Guild(id="10")) is None
