"""Random events, which a platform module reads, skips or refuses."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from aiogram.types import Update
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.platforms.dingtalk.wire import Event as DingTalkEvent
from bot.platforms.dingtalk.wire import to_message as from_dingtalk
from bot.platforms.discord import wire as discord
from bot.platforms.discord.events import Message as DiscordMessage
from bot.platforms.feishu import wire as feishu
from bot.platforms.feishu.wire import Event as FeishuEvent
from bot.platforms.irc import wire as irc
from bot.platforms.irc.people import People
from bot.platforms.matrix import wire as matrix
from bot.platforms.onebot.wire import Event as OneBotEvent
from bot.platforms.onebot.wire import to_incoming as from_onebot
from bot.platforms.slack import wire as slack
from bot.platforms.slack.events import Message as SlackMessage
from bot.platforms.telegram import wire as telegram
from bot.platforms.xmpp import wire as xmpp
from services.kernel.chat import ChatMessage
from tests.unit.random_changes import change_sample

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)


def load_recorded(file):
    return list(json.loads((HERE / file).read_text(encoding="utf-8")).values())


ROOM = matrix.Room(id="!team:localhost", names={"@ann:localhost": "Ann"}, levels={}, own_events={"$own"})


def to_data(stanza):
    """Return a stanza as values that can be changed."""
    inside = [to_data(each) for each in stanza]
    return {"tag": stanza.tag, "attributes": dict(stanza.attrib), "text": stanza.text or "", "inside": inside}


FALLBACK = """<message xmlns='jabber:client' from='team@rooms.localhost/ann' id='m1' type='groupchat'>
<body>&gt; ben: tea?\n@ben: yes</body><reply xmlns='urn:xmpp:reply:0' id='own' to='team@rooms.localhost/ben'/>
<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='12'/></fallback></message>"""
XMPP = [to_data(ET.fromstring(each)) for each in [*load_recorded("xmpp/stanzas.json"), FALLBACK]]
GIVEN, SAID = XMPP[0]["attributes"]["id"], XMPP[0]["inside"][-1]["attributes"]["id"]
MUC = xmpp.Room(
    jid="team@rooms.localhost",
    nick="bubbles",
    bot_name="Bubbles",
    occupants={"ben": xmpp.Occupant(nick="ben", jid="ben@localhost")},
    recent=xmpp.RecentMessages(
        own={"own": "own"},
        authors={SAID: "team@rooms.localhost/ann"},
        given_ids={f"team@rooms.localhost/ann {GIVEN}": SAID},
    ),
    missed_since=NOW,
)


def element(raw):
    """Return a stanza as a parser makes it: names and values are text."""
    raw = raw if isinstance(raw, dict) else {"text": raw}
    attributes, inside = raw.get("attributes"), raw.get("inside")
    made = ET.Element(str(raw.get("tag")))
    for name, value in attributes.items() if isinstance(attributes, dict) else ():
        made.set(name, value if isinstance(value, str) else json.dumps(value))
    made.text = None if raw.get("text") is None else str(raw["text"])
    made.extend(element(each) for each in (inside if isinstance(inside, list) else ()))
    return made


def read_xmpp(raw):
    """Read everything of a stanza, and return its message."""
    stanza = element(raw)
    reaction = xmpp.parse_reactions(stanza)
    if reaction is not None:
        xmpp.to_reactions(stanza, MUC, reaction[0], (), reaction[1])
    xmpp.private_message(stanza, now=NOW, fresh_id="fresh")
    return xmpp.to_incoming(stanza, MUC, now=NOW, fresh_id="fresh")


def read_irc(raw):
    """Read everything of a line, and return its message."""
    line = irc.parse_line(str(raw.get("line")))
    if line is None:
        return None
    people = People()
    people.update(line)
    scene = irc.LineContext(nick="bubbles", bot_name="Bubbles", people=people.members(line.param(0)))
    return irc.to_message(line, scene, sender=people.person(line.nick), message_id="fresh", now=NOW)


WIRES = {
    "telegram": (
        load_recorded("telegram/updates.json"),
        lambda raw: telegram.to_incoming(
            Update.model_validate(raw), telegram.Account(id=1, username="bubbles_bot", bot_name="Bubbles"), NOW
        ),
    ),
    "discord": (
        load_recorded("discord/events.json"),
        lambda raw: discord.to_message(DiscordMessage.model_validate(raw), "1", "Bubbles", discord.Place()),
    ),
    "slack": (
        load_recorded("slack/events.json"),
        lambda raw: slack.to_incoming(
            SlackMessage.model_validate(raw), slack.Account(user_id="UBOT", bot_id="BBOT", bot_name="Bubbles"), {}
        ),
    ),
    "onebot": (
        load_recorded("onebot/events.json"),
        lambda raw: from_onebot(OneBotEvent.model_validate(raw), "Bubbles"),
    ),
    "feishu": (
        load_recorded("feishu/events.json"),
        lambda raw: feishu.to_incoming(
            FeishuEvent.model_validate(raw), feishu.Account(open_id="ou_bot", bot_name="Bubbles"), {}, ()
        ),
    ),
    "dingtalk": (
        load_recorded("dingtalk/events.json"),
        lambda raw: from_dingtalk(DingTalkEvent.model_validate(raw), "Bubbles"),
    ),
    "matrix": (
        load_recorded("matrix/events.json"),
        lambda raw: matrix.to_incoming(raw, ROOM, matrix.Account(user_id="@bubbles:localhost", bot_name="Bubbles")),
    ),
    "irc": ([{"line": line} for lines in load_recorded("irc/lines.json") for line in lines], read_irc),
    "xmpp": (XMPP, read_xmpp),
}


@pytest.mark.parametrize("name", WIRES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_event_raises_no_unexpected_error(name, data):
    events, read = WIRES[name]
    raw = data.draw(change_sample(events))

    with suppress(ValidationError):  # what every adapter logs and skips
        event = read(raw)
        if isinstance(event, ChatMessage):
            assert event.sent_at.tzinfo is not None
            assert isinstance(event.text, str)


@pytest.mark.parametrize("name", sorted(WIRES.keys() - {"matrix", "irc", "xmpp", "telegram"}))
def test_an_event_that_cannot_be_read_is_not_quoted_to_the_log(name):
    _, read = WIRES[name]
    names = ("author", "channel_id", "event", "message", "msgId", "post_type", "ts")
    wrong = {each: ["my diagnosis"] for each in names}

    with pytest.raises(ValidationError) as error:
        read({"update_id": 1, **wrong})

    assert "diagnosis" not in str(error.value)


@pytest.mark.parametrize("name", WIRES)
def test_unchanged_recorded_event_is_read(name):
    events, read = WIRES[name]
    received = []
    for each in events:
        with suppress(ValidationError):
            received.append(read(each))

    assert any(isinstance(each, ChatMessage) for each in received)
