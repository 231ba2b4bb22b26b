"""Whatever a platform sends in the place of what its documentation shows, a wire reads it, skips it, or says no."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.platforms.dingtalk.events import Event as DingTalkEvent
from bot.platforms.dingtalk.wire import to_message as from_dingtalk
from bot.platforms.discord import wire as discord
from bot.platforms.discord.events import Message as DiscordMessage
from bot.platforms.feishu import wire as feishu
from bot.platforms.feishu.events import Event as FeishuEvent
from bot.platforms.matrix import wire as matrix
from bot.platforms.onebot.wire import Event as OneBotEvent
from bot.platforms.onebot.wire import to_incoming as from_onebot
from bot.platforms.slack import wire as slack
from bot.platforms.slack.events import Message as SlackMessage
from bot.platforms.telegram import wire as telegram
from bot.platforms.telegram.events import Update
from bot.platforms.xmpp import wire as xmpp
from services.chat import ChatMessage
from tests.unit.mangling import changed

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)


def recorded(file):
    return list(json.loads((HERE / file).read_text(encoding="utf-8")).values())


MATRIX = [
    {
        "type": "m.room.message",
        "event_id": "$1",
        "sender": "@ann:example.org",
        "origin_server_ts": 1432735824653,
        "content": {
            "msgtype": "m.text",
            "body": "> <@ben:example.org> tea?\n\nyes",
            "format": "org.matrix.custom.html",
            "formatted_body": "<b>yes</b>",
            "m.mentions": {"user_ids": ["@ben:example.org"]},
            "m.relates_to": {"m.in_reply_to": {"event_id": "$0"}, "rel_type": "m.thread", "event_id": "$root"},
            "m.new_content": {"body": "no", "msgtype": "m.text"},
        },
    }
]
ROOM = matrix.Room(id="!team:example.org", names={"@ann:example.org": "Ann"}, levels={}, own_events={"$own"})
XMPP = [
    {
        "tag": "{jabber:client}message",
        "attributes": {"from": "team@rooms.example.org/ann", "id": "m1", "type": "groupchat"},
        "inside": [
            {"tag": tag, "attributes": attributes, "text": text, "inside": inside}
            for tag, attributes, text, inside in (
                ("{jabber:client}body", {}, "> ben: tea?\n@ben: yes", []),
                *extra,
                ("{urn:xmpp:sid:0}stanza-id", {"by": "team@rooms.example.org", "id": "s1"}, "", []),
                ("{urn:xmpp:occupant-id:0}occupant-id", {"id": "o1"}, "", []),
            )
        ],
    }
    for extra in (
        (
            ("{urn:xmpp:reply:0}reply", {"id": "own", "to": "team@rooms.example.org/ben"}, "", []),
            (
                "{urn:xmpp:fallback:0}fallback",
                {"for": "urn:xmpp:reply:0"},
                "",
                [{"tag": "{urn:xmpp:fallback:0}body", "attributes": {"start": "0", "end": "12"}}],
            ),
        ),
        (("{urn:xmpp:message-correct:0}replace", {"id": "given"}, "", []),),
        (("{urn:xmpp:message-retract:1}retract", {"id": "s0"}, "", []),),
        (("{urn:xmpp:delay}delay", {"stamp": "2026-11-20T09:59:00Z"}, "", []),),
        (
            (
                "{urn:xmpp:reactions:0}reactions",
                {"id": "s0"},
                "",
                [{"tag": "{urn:xmpp:reactions:0}reaction", "text": "👍"}],
            ),
        ),
    )
]
MUC = xmpp.Room(
    jid="team@rooms.example.org",
    nick="bubbles",
    bot_name="Bubbles",
    occupants={"ben": xmpp.Occupant(nick="ben", jid="ben@example.org")},
    own_messages={"own": "own"},
    authors={"s0": "team@rooms.example.org/ann"},
    given_ids={"team@rooms.example.org/ann given": "s0"},
    missed_since=NOW,
)


def element(raw):
    """A stanza as a parser makes one: whatever stands where, names and values are text."""
    raw = raw if isinstance(raw, dict) else {"text": raw}
    attributes, inside = raw.get("attributes"), raw.get("inside")
    made = ET.Element(str(raw.get("tag")))
    for name, value in attributes.items() if isinstance(attributes, dict) else ():
        made.set(name, value if isinstance(value, str) else json.dumps(value))
    made.text = None if raw.get("text") is None else str(raw["text"])
    made.extend(element(each) for each in (inside if isinstance(inside, list) else ()))
    return made


def from_xmpp(raw):
    """Everything that is read of a stanza; what it says."""
    stanza = element(raw)
    reaction = xmpp.reacted_to(stanza)
    if reaction is not None:
        xmpp.to_reactions(stanza, MUC, reaction[0], (), reaction[1])
    xmpp.private_message(stanza, now=NOW, fresh_id="fresh")
    return xmpp.to_incoming(stanza, MUC, now=NOW, fresh_id="fresh")


WIRES = {
    "telegram": (
        recorded("telegram/updates.json"),
        lambda raw: telegram.to_incoming(
            Update.model_validate(raw), telegram.Account(id=1, username="bubbles_bot", bot_name="Bubbles")
        ),
    ),
    "discord": (
        recorded("discord/events.json"),
        lambda raw: discord.to_message(DiscordMessage.model_validate(raw), "1", "Bubbles", discord.Place()),
    ),
    "slack": (
        recorded("slack/events.json"),
        lambda raw: slack.to_incoming(
            SlackMessage.model_validate(raw), slack.Account(user_id="UBOT", bot_id="BBOT", bot_name="Bubbles"), {}
        ),
    ),
    "onebot": (recorded("onebot/events.json"), lambda raw: from_onebot(OneBotEvent.model_validate(raw), "Bubbles")),
    "feishu": (
        recorded("feishu/events.json"),
        lambda raw: feishu.to_incoming(
            FeishuEvent.model_validate(raw), feishu.Account(open_id="ou_bot", bot_name="Bubbles"), {}, ()
        ),
    ),
    "dingtalk": (
        recorded("dingtalk/events.json"),
        lambda raw: from_dingtalk(DingTalkEvent.model_validate(raw), "Bubbles"),
    ),
    "matrix": (
        MATRIX,
        lambda raw: matrix.to_incoming(raw, ROOM, matrix.Account(user_id="@b:example.org", bot_name="Bubbles")),
    ),
    "xmpp": (XMPP, from_xmpp),
}


@pytest.mark.parametrize("name", WIRES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_event_breaks_a_wire(name, data):
    events, read = WIRES[name]
    raw = data.draw(changed(events))

    with suppress(ValidationError):  # what every adapter logs and skips
        heard = read(raw)
        if isinstance(heard, ChatMessage):
            assert heard.sent_at.tzinfo is not None
            assert isinstance(heard.text, str)


@pytest.mark.parametrize("name", WIRES)
def test_the_recorded_events_themselves_are_read(name):
    events, read = WIRES[name]
    heard = []
    for each in events:
        with suppress(ValidationError):
            heard.append(read(each))

    assert any(isinstance(each, ChatMessage) for each in heard)
