"""Events of a real homeserver (`events.json`, see `tests/integration/chats/record_events.py`) as chat messages."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.platforms.base import OutgoingMessage
from bot.platforms.matrix.wire import (
    Account,
    Room,
    events_since_join,
    is_new_group,
    link,
    to_content,
    to_edit,
    to_incoming,
)
from services.kernel.chat import Attachment, ChatAddress, MessageEdited, MessageWithdrawn, Person, Reaction

RECORDED = json.loads(Path(__file__).with_name("events.json").read_text(encoding="utf-8"))
ACCOUNT = Account(user_id="@bubbles:localhost", bot_name="Bubbles")
ROOM = Room(
    id="!team:example.org",
    names={"@ann:localhost": "Ann", "@ben:localhost": "Ben"},
    levels={"@ann:localhost": 100},
    own_events={"$own"},
)
TEAM = ChatAddress(platform="matrix", chat_id="!team:example.org")


def event(content, **fields):
    """Return the recorded text event with other content."""
    text = RECORDED["text"]
    return {**text, "content": {**text["content"], "body": "hi", **content}, **fields}


def read_event(content, **fields):
    return to_incoming(event(content, **fields), ROOM, ACCOUNT)


def read_recorded(name):
    return to_incoming(RECORDED[name], ROOM, ACCOUNT)


def id_of(name):
    return RECORDED[name]["event_id"]


def test_a_text_has_its_sender_room_and_time():
    message = read_recorded("text")

    assert (message.text, message.address, message.id) == ("hello 你好", TEAM, id_of("text"))
    assert message.sender == Person(id="@ann:localhost", name="Ann", is_admin=True)
    assert message.sent_at == datetime.fromtimestamp(RECORDED["text"]["origin_server_ts"] / 1000, UTC)
    assert not message.is_addressed


def test_member_without_a_name_is_called_by_the_localpart():
    assert read_event({}, sender="@zoe:other.example").sender.name == "zoe"


def test_a_mention_calls_the_bot_and_names_the_others():
    message = read_recorded("mention")

    assert message.is_addressed
    assert message.mentions == (read_recorded("text").sender,)


@pytest.mark.parametrize(
    "content",
    [
        {"m.mentions": {"user_ids": ["@bubbles:localhost"]}},
        {"formatted_body": '<a href="https://matrix.to/#/@bubbles:localhost">B</a> hi'},
        {"formatted_body": '<a href="https://matrix.to/#/%40bubbles%3Alocalhost">B</a> hi'},
        {"body": "bubbles: hi"},
        {"m.relates_to": {"m.in_reply_to": {"event_id": "$own"}}},
    ],
)
def test_bot_is_addressed_by_mention_pill_name_or_reply(content):
    assert read_event(content).is_addressed


def test_a_mentioned_person_has_an_at_in_the_text():
    message = read_event({"body": "remind Ben of tea", "m.mentions": {"user_ids": ["@ben:localhost"]}})

    assert message.mentions == (Person(id="@ben:localhost", name="Ben"),)
    assert message.text == "remind @Ben of tea"


def test_backslash_in_the_name_of_a_mentioned_person_is_plain_text():
    room = replace(ROOM, names={"@ben:localhost": r"Ben\q"})
    content = {"body": r"hi Ben\q", "m.mentions": {"user_ids": ["@ben:localhost"]}}

    assert to_incoming(event(content), room, ACCOUNT).text == r"hi @Ben\q"


def test_a_thread_is_a_part_of_the_address_and_its_fallback_no_reply():
    message = read_recorded("in a thread")

    assert (message.address.thread_id, message.reply_to) == (id_of("text"), None)


def test_quoted_fallback_of_a_reply_is_removed():
    assert (read_recorded("reply").text, read_recorded("reply").reply_to) == ("yes", id_of("mention"))


def test_an_edit_and_a_redaction_correct_the_message():
    new, redaction = read_recorded("edit"), read_recorded("redaction")

    assert isinstance(new, MessageEdited)
    assert (new.message_id, new.text) == (id_of("text"), "hello all")
    assert new.by == read_recorded("text").sender.id
    assert isinstance(redaction, MessageWithdrawn)
    assert redaction.message_id == id_of("redacted")


def test_redacted_event_has_no_text():
    assert read_recorded("redacted") is None


def test_a_reaction_names_its_message_and_person():
    assert read_recorded("reaction") == Reaction(
        address=TEAM, message_id=id_of("mention"), person=read_recorded("text").sender, emoji="👍"
    )


def test_a_notice_is_the_word_of_a_bot():
    assert read_recorded("notice").sender.is_bot


def test_emote_is_a_message():
    assert read_recorded("emote").text == "/me waves"


def test_a_picture_is_described_and_its_caption_is_the_text():
    message = read_recorded("picture")

    assert message.text == "our cat"
    assert message.attachments == (Attachment(kind="photo", description="cat.jpg", url="mxc://localhost/cat"),)


@pytest.mark.parametrize(
    "changed", [{"sender": "@bubbles:localhost"}, {"type": "m.sticker"}, {"content": {}}, {"sender": 3}]
)
def test_event_without_a_message_is_ignored(changed):
    assert to_incoming(event({}) | changed, ROOM, ACCOUNT) is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(anything, anything, anything)
def test_no_event_breaks_the_wire(relation, mentions, body):
    read_event({"m.relates_to": relation, "m.mentions": mentions, "body": body, "m.new_content": body})


def test_message_before_the_join_is_not_for_the_bot():
    joining = RECORDED["joining of the bot"]
    renaming = joining | {"unsigned": {"prev_content": {"membership": "join"}}}
    before, after = event({"body": "before"}), event({"body": "after"})

    assert events_since_join([before, joining, after, renaming], ACCOUNT) == [after, renaming]
    assert events_since_join([before, after], ACCOUNT) == [before, after]


def write_content(text, address=TEAM, **fields):
    return to_content(OutgoingMessage(text=text, **fields), text, address)


def test_plain_text_has_no_formatted_body_and_no_mentions():
    assert write_content("tea & cake\nnow") == {"msgtype": "m.text", "body": "tea & cake\nnow", "m.mentions": {}}


def test_person_is_mentioned_by_id_and_shown_as_a_pill():
    content = write_content("⏰ @Ben tea", mentions=(Person(id="@ben:localhost", name="Ben"),))

    assert content["m.mentions"] == {"user_ids": ["@ben:localhost"]}
    assert content["formatted_body"] == '⏰ <a href="https://matrix.to/#/@ben:localhost">@Ben</a> tea'


def test_only_code_notifies_the_room():
    assert write_content("@room look")["m.mentions"] == {}
    assert write_content("⏰ everyone tea", mentions_everyone=True)["m.mentions"] == {"room": True}


def test_a_reply_in_a_thread_names_both():
    content = write_content(
        "yes", address=ChatAddress(platform="matrix", chat_id="!r", thread_id="$root"), reply_to="$x"
    )

    assert content["m.relates_to"] == {"rel_type": "m.thread", "event_id": "$root", "m.in_reply_to": {"event_id": "$x"}}


def test_edit_names_the_replaced_message():
    content = to_edit(OutgoingMessage(text="**new**"), TEAM, "$x")

    assert content["m.relates_to"] == {"rel_type": "m.replace", "event_id": "$x"}
    assert content["m.new_content"]["formatted_body"] == "<b>new</b>"


def test_a_link_opens_the_event():
    assert link("!r:example.org", "$x") == "https://matrix.to/#/%21r%3Aexample.org/%24x"


def read_join(prev_content):
    return {
        "type": "m.room.member",
        "state_key": "@bubbles:localhost",
        "sender": "@bubbles:localhost",
        "content": {"membership": "join"},
        "unsigned": {"prev_content": prev_content},
    }


@pytest.mark.parametrize(
    ("prev_content", "is_new"),
    [
        ({"membership": "invite"}, True),
        ({"membership": "invite", "is_direct": True}, False),
        ({"membership": "join"}, False),
    ],
)
def test_room_is_new_once_the_join_of_the_bot_is_synced(prev_content, is_new):
    assert is_new_group([read_join(prev_content)], ACCOUNT) is is_new
    assert not is_new_group([RECORDED["text"]], ACCOUNT)


@pytest.mark.parametrize("person_id", ["bob", "@bob", "name:bob"])
def test_invalid_user_id_is_never_mentioned(person_id):
    message = OutgoingMessage(text="⏰ @bob tea", mentions=(Person(id=person_id, name="bob"),))
    content = to_content(message, message.text, TEAM)

    assert content["m.mentions"] == {}
    assert "matrix.to" not in str(content)
