"""Stanzas as chat messages: those of a real room (`stanzas.json`), and the examples of the XEPs.

`tests/integration/chats/record_events.py` records the file.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from bot.platforms.base import OutgoingMessage
from bot.platforms.xmpp.wire import (
    Occupant,
    RecentMessages,
    Room,
    UploadSlot,
    parse_reactions,
    private_message,
    text_of,
    to_incoming,
    to_reactions,
    upload_slot,
)
from services.kernel.chat import MessageEdited, MessageWithdrawn, Person

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ROOM = Room(
    jid="coven@chat.shakespeare.example",
    nick="bubbles",
    bot_name="Bubbles",
    occupants={
        "thirdwitch": Occupant(nick="thirdwitch", jid="hag66@shakespeare.example", is_moderator=True),
        "ben": Occupant(nick="ben", jid="ben@shakespeare.example"),
    },
    recent=RecentMessages(own={"own-1": "own-1"}),
)


def stanza(inside, **attributes):
    """Return a message in the form of the examples of XEP-0045."""
    given = {"from": f"{ROOM.jid}/thirdwitch", "id": "msg-1", "type": "groupchat"} | attributes
    written = " ".join(f'{name}="{value}"' for name, value in given.items())
    return ET.fromstring(f'<message xmlns="jabber:client" {written}>{inside}</message>')


def read_stanza(inside, room=ROOM, **attributes):
    return to_incoming(stanza(inside, **attributes), room, now=NOW, fresh_id="fresh")


RECORDED = json.loads(Path(__file__).with_name("stanzas.json").read_text(encoding="utf-8"))
TEAM = Room(
    jid="team@rooms.localhost",
    nick="bubbles",
    bot_name="Bubbles",
    occupants={"ann": Occupant(nick="ann", jid="ann@localhost", is_moderator=True)},
)
ANN = Person(id="ann@localhost", name="ann", is_admin=True)


def read_recorded(name, **known):
    return to_incoming(ET.fromstring(RECORDED[name]), replace(TEAM, **known), now=NOW, fresh_id="fresh")


def test_room_message_is_read():
    text, mention, reply = (read_recorded(name) for name in ("text", "mention", "reply"))

    assert (text.text, text.sender, text.is_addressed, text.address.chat_id) == ("hello 你好", ANN, False, TEAM.jid)
    assert (mention.is_addressed, mention.mentions) == (True, (ANN,))
    assert (reply.text, reply.reply_to) == ("yes", text.id)


def test_late_room_event_names_the_message_by_the_rooms_id():
    text_id, own_id = read_recorded("text").id, ET.fromstring(RECORDED["text"]).get("id")
    recent = RecentMessages(authors={text_id: f"{TEAM.jid}/ann"}, given_ids={f"{TEAM.jid}/ann {own_id}": text_id})
    correction, retraction = read_recorded("correction", recent=recent), read_recorded("retraction", recent=recent)

    assert (correction.message_id, correction.text) == (text_id, "hello all")
    assert retraction.message_id == text_id
    assert parse_reactions(ET.fromstring(RECORDED["reaction"])) == (text_id, {"👍"})


def test_repeated_room_message_keeps_its_time_and_id():
    history = read_recorded("history", missed_since=NOW)

    assert read_recorded("history") is None
    assert (history.id, history.text) == (read_recorded("text").id, "hello 你好")
    assert f"{history.sent_at:%Y-%m-%dT%H:%M:%SZ}" in RECORDED["history"]


def test_echo_of_own_messages_is_ignored():
    assert read_recorded("own") is None


def test_one_to_one_message_is_private():
    message = private_message(ET.fromstring(RECORDED["private"]), now=NOW, fresh_id="fresh")

    assert (message.address.chat_id, message.text, message.is_private) == ("ann@localhost", "hello in private", True)


def test_a_message_belongs_to_the_room_and_to_the_address_behind_the_nickname():
    message = read_stanza("<body>Harpier cries</body>")

    assert (message.address.chat_id, message.id, message.text) == (ROOM.jid, "msg-1", "Harpier cries")
    assert message.sender == Person(id="hag66@shakespeare.example", name="thirdwitch", is_admin=True)
    assert not message.is_addressed


def test_member_with_a_hidden_address_is_known_by_the_rooms_id():
    inside = "<body>hi</body><occupant-id xmlns='urn:xmpp:occupant-id:0' id='dd72603d'/>"

    assert read_stanza(inside, **{"from": f"{ROOM.jid}/newcomer"}).sender.id == "occupant:dd72603d"


def test_nickname_that_is_anothers_address_gives_no_identity():
    mallory = Occupant(nick="ben@shakespeare.example")
    message = read_stanza(
        "<body>hi</body>", replace(ROOM, occupants={mallory.nick: mallory}), **{"from": f"{ROOM.jid}/{mallory.nick}"}
    )

    assert message.sender.name == "ben@shakespeare.example"
    assert message.sender.id != "ben@shakespeare.example"


def test_rooms_id_of_a_message_comes_first():
    inside = f"<body>hi</body><stanza-id xmlns='urn:xmpp:sid:0' by='{ROOM.jid}' id='room-7'/>"

    assert read_stanza(inside).id == "room-7"


def test_invented_id_of_a_room_message_is_ignored():
    inside = "<body>hi</body><stanza-id xmlns='urn:xmpp:sid:0' by='mallory@evil.example' id='room-7'/>"

    assert read_stanza(inside).id == "msg-1"


@pytest.mark.parametrize("body", ["bubbles: hi", "Bubbles, hi", "@bubbles hi"])
def test_bot_is_addressed_by_its_nickname_or_name(body):
    assert read_stanza(f"<body>{body}</body>").is_addressed


def test_reply_to_the_bot_is_addressed_and_loses_its_quote():
    inside = (
        "<body>&gt; tea?\nyes</body><reply xmlns='urn:xmpp:reply:0' id='own-1'/>"
        "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='7'/></fallback>"
    )
    message = read_stanza(inside)

    assert (message.text, message.reply_to, message.is_addressed) == ("yes", "own-1", True)


def test_broken_fallback_changes_nothing():
    fallback = "<fallback xmlns='urn:xmpp:fallback:0'><body start='a'/></fallback>"
    inside = f"<body>hi</body><reply xmlns='urn:xmpp:reply:0' id='x'/>{fallback}"

    assert read_stanza(inside).text == "hi"


@pytest.mark.parametrize("body", ["ben: hi", "ask @ben"])
def test_people_are_mentioned_by_their_nicknames(body):
    assert read_stanza(f"<body>{body}</body>").mentions == (Person(id="ben@shakespeare.example", name="ben"),)


SAID = replace(
    ROOM,
    recent=RecentMessages(
        given_ids={f"{ROOM.jid}/thirdwitch own": "room-7"}, authors={"room-7": f"{ROOM.jid}/thirdwitch"}
    ),
)
CORRECTION = "<body>new</body><replace xmlns='urn:xmpp:message-correct:0' id='own'/>"
RETRACTION = "<retract xmlns='urn:xmpp:message-retract:1' id='room-7'/>"
BEN = {"from": f"{ROOM.jid}/ben"}


def test_a_correction_names_the_message_as_the_room_does():
    correction = read_stanza(CORRECTION, SAID)

    assert isinstance(correction, MessageEdited)
    assert (correction.message_id, correction.text) == ("room-7", "new")


def test_message_is_retracted():
    assert isinstance(read_stanza(f"<body>/me retracted</body>{RETRACTION}", SAID), MessageWithdrawn)


def test_retraction_names_its_person_since_another_may_have_the_nickname_now():
    assert read_stanza(RETRACTION, SAID).by == "hag66@shakespeare.example"


@pytest.mark.parametrize("inside", [CORRECTION, RETRACTION])
def test_messages_of_others_cannot_be_corrected_or_retracted(inside):
    assert read_stanza(inside, SAID, **BEN) is None


def test_reactions_are_compared_with_the_earlier_ones():
    inside = (
        "<reactions xmlns='urn:xmpp:reactions:0' id='room-7'><reaction>👍</reaction><reaction> </reaction></reactions>"
    )
    reacting = stanza(inside, **BEN)
    message, after = parse_reactions(reacting)
    reactions = to_reactions(reacting, ROOM, message, {"🎉"}, after)

    assert (message, after) == ("room-7", {"👍"})
    assert [(each.emoji, each.is_added, each.person.name) for each in reactions] == [
        ("🎉", False, "ben"),
        ("👍", True, "ben"),
    ]


def test_message_without_reactions_is_ignored():
    assert parse_reactions(stanza("<body>👍</body>")) is None


DELAYED = "<body>hi</body><delay xmlns='urn:xmpp:delay' stamp='2026-11-21T09:00:00Z'/>"


def test_messages_repeated_on_joining_are_history():
    assert read_stanza(DELAYED) is None


@pytest.mark.parametrize(("hour", "is_news"), [(8, True), (10, False)])
def test_message_sent_while_offline_is_new(hour, is_news):
    room = replace(ROOM, missed_since=NOW.replace(hour=hour, minute=0))

    assert (read_stanza(DELAYED, room) is not None) == is_news


@pytest.mark.parametrize(
    ("inside", "sender"),
    [
        ("<subject>tea</subject>", "thirdwitch"),
        ("<body>mine</body>", "bubbles"),
        ("<body/>", "thirdwitch"),
        ("<body>x</body>", ""),
    ],
)
def test_subjects_own_messages_and_room_messages_are_ignored(inside, sender):
    assert read_stanza(inside, **{"from": f"{ROOM.jid}/{sender}"}) is None


def test_a_private_message_is_a_chat_with_its_sender():
    message = private_message(
        stanza("<body>hi</body>", **{"from": "ann@example.org/phone", "type": "chat"}), now=NOW, fresh_id="x"
    )

    assert (message.address.chat_id, message.is_private, message.is_addressed) == ("ann@example.org", True, True)


@pytest.mark.parametrize(("stamp", "hour"), [("2026-11-21T09:00:00Z", 9), ("2036-01-01T00:00:00Z", None)])
def test_private_message_kept_by_the_server_has_the_time_of_its_sending(stamp, hour):
    inside = f"<body>hi</body><delay xmlns='urn:xmpp:delay' stamp='{stamp}'/>"
    private = stanza(inside, **{"from": "ann@example.org/phone", "type": "chat"})

    assert private_message(private, now=NOW, fresh_id="x").sent_at == (
        NOW if hour is None else NOW.replace(hour=hour, minute=0, second=0)
    )


def test_code_keeps_its_fences_and_controls_are_taken_out():
    message = OutgoingMessage(text="a\x00b **c**\n```py\nx = 1\n```")

    assert text_of(message, message.text) == "ab c\n```\nx = 1\n```"


def slot(*, put="https://files.example/put", get="https://files.example/get", headers=()):
    """Return the answer of a service for files, as in section 4 of XEP-0363."""
    allowed = "".join(f"<header name='{name}'>{value}</header>" for name, value in headers)
    inside = f"<put url='{put}'>{allowed}</put><get url='{get}'/>"
    return upload_slot(ET.fromstring(f"<iq><slot xmlns='urn:xmpp:http:upload:0'>{inside}</slot></iq>"))


def test_headers_of_an_upload_are_those_that_a_server_may_set():
    given = [("Authorization", "Basic&#10; abc"), ("Host", "other.example"), ("Expires", "never"), ("X-Any", "1")]

    assert slot(headers=given) == UploadSlot(
        put="https://files.example/put",
        headers={"Authorization": "Basic abc", "Expires": "never"},
        get="https://files.example/get",
    )


@pytest.mark.parametrize("addresses", [{"put": "file:///etc/passwd"}, {"get": "javascript:alert(1)"}, {"get": ""}])
def test_an_upload_goes_to_addresses_of_the_web_only(addresses):
    assert slot(**addresses) is None


def test_an_answer_without_a_slot_is_no_upload():
    assert upload_slot(ET.fromstring("<iq/>")) is None
