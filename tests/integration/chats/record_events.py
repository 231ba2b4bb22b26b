"""Record events of real servers as files for the tests of wire modules.

Run it again for newer servers: `python -m tests.integration.chats.record_events`. The people in the files are made up.
"""

import asyncio
import json
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Literal
from urllib.parse import quote
from xml.etree import ElementTree as ET

from bot.testing.platform_rig import until
from services.kernel.clock import SystemClock
from tests.support.real_servers.irc import irc_person, irc_server
from tests.support.real_servers.prosody import ROOMS, prosody, xmpp_person
from tests.support.real_servers.synapse import MatrixPerson, synapse

WIRES = Path(__file__).parents[2] / "unit" / "platforms"
ROOM = f"team@{ROOMS}"
CHANNEL = "#team"
ALL_EVENTS = quote(json.dumps({"room": {"timeline": {"limit": 100}}}))


def matrix(folder: Path) -> Mapping[str, object]:
    """Record events of a room's timeline in a sync."""
    server = synapse(folder)
    server.start()
    try:
        ann, ben, bubbles = (MatrixPerson(server.port, name) for name in ("ann", "ben", "bubbles"))
        for person in (ann, ben, bubbles):
            person.register()
        room = ann.create_room(name="team", invite=(ben.user_id, bubbles.user_id))
        ben.join(room)
        bubbles.join(room)
        names = _send_each_kind(room, ann, ben, bubbles)
        synced = bubbles.client("GET", f"sync?filter={ALL_EVENTS}")["rooms"]["join"][room]
        return _name_events(synced["timeline"]["events"], names)
    finally:
        server.stop()


def _send_each_kind(room: str, ann: MatrixPerson, ben: MatrixPerson, bubbles: MatrixPerson) -> dict[str, str]:
    """Send an event of each kind; return the ids of the events by kind."""
    text = {"msgtype": "m.text"}
    pill = f'<a href="https://matrix.to/#/{bubbles.user_id}">bubbles</a> remind ann of tea'
    ids = {"text": ann.send(room, {**text, "body": "hello 你好"})}
    ids["mention"] = ben.send(
        room,
        {
            **text,
            "body": "bubbles remind ann of tea",
            "format": "org.matrix.custom.html",
            "formatted_body": pill,
            "m.mentions": {"user_ids": [bubbles.user_id, ann.user_id]},
        },
    )
    in_reply = {"m.in_reply_to": {"event_id": ids["mention"]}}
    quoted = f"> <{ben.user_id}> bubbles remind ann of tea\n\nyes"
    ids["reply"] = ann.send(room, {**text, "body": quoted, "m.relates_to": in_reply})
    thread = {"rel_type": "m.thread", "event_id": ids["text"], "is_falling_back": True, **in_reply}
    ids["in a thread"] = ben.send(room, {**text, "body": "in the thread", "m.relates_to": thread})
    new = {**text, "body": "hello all"}
    replaces = {"rel_type": "m.replace", "event_id": ids["text"]}
    ids["edit"] = ann.send(room, {**text, "body": "* hello all", "m.new_content": new, "m.relates_to": replaces})
    annotates = {"rel_type": "m.annotation", "event_id": ids["mention"], "key": "👍"}
    ids["reaction"] = ann.send(room, {"m.relates_to": annotates}, kind="m.reaction")
    ids["notice"] = ben.send(room, {"msgtype": "m.notice", "body": "I am a bot"})
    ids["emote"] = ben.send(room, {"msgtype": "m.emote", "body": "waves"})
    picture = {"msgtype": "m.image", "body": "our cat", "filename": "cat.jpg", "url": "mxc://localhost/cat"}
    ids["picture"] = ann.send(room, {**picture, "info": {"mimetype": "image/jpeg"}})
    ann.redact(room, ann.send(room, {**text, "body": "my number is 1234"}))
    return ids


def _name_events(events: list[dict[str, object]], names: Mapping[str, str]) -> dict[str, object]:
    found = {each["event_id"]: each for each in events}
    named: dict[str, object] = {name: found[event_id] for name, event_id in names.items()}
    named["redaction"] = next(each for each in events if each["type"] == "m.room.redaction")
    named["redacted"] = next(each for each in events if "redacted_because" in str(each.get("unsigned")))
    named["joining of the bot"] = next(
        each for each in events if each.get("state_key") == "@bubbles:localhost" and "join" in str(each["content"])
    )
    return named


async def xmpp(folder: Path) -> Mapping[str, str]:
    """Record stanzas that an account in a room receives, as XML."""
    server = prosody(folder, ("ann", "ben", "bubbles"))
    await asyncio.to_thread(server.start)
    async with AsyncExitStack() as resources:
        resources.callback(server.stop)
        ann, bubbles = [
            await resources.enter_async_context(xmpp_person(server.port, name, ROOM)) for name in ("ann", "bubbles")
        ]

        async def wait_for_stanza(own_id: str) -> ET.Element:
            await until(lambda: any(each.get("id") == own_id for each in bubbles.heard))
            return next(each for each in bubbles.heard if each.get("id") == own_id)

        async def say(text: str | None, tag: str = "", **attributes: str) -> ET.Element:
            extra = ET.Element(tag, attributes) if tag else None
            if tag.endswith("}reactions") and extra is not None:
                ET.SubElement(extra, "{urn:xmpp:reactions:0}reaction").text = "👍"
            return await wait_for_stanza(ann.say(text, extra=extra))

        text = await say("hello 你好")
        server_id = next(each.get("id", "") for each in text if each.tag.endswith("}stanza-id"))
        stanzas = {
            "text": text,
            "mention": await say("bubbles: remind @ann of tea"),
            "reply": await say("yes", "{urn:xmpp:reply:0}reply", id=server_id, to=f"{ROOM}/ann"),
            "correction": await say("hello all", "{urn:xmpp:message-correct:0}replace", id=text.get("id", "")),
            "reaction": await say(None, "{urn:xmpp:reactions:0}reactions", id=server_id),
            "retraction": await say(None, "{urn:xmpp:message-retract:1}retract", id=server_id),
        }
        private = ann._client.message_to("bubbles@localhost", "hello in private", is_group=False)
        private.send()
        stanzas["private"] = await wait_for_stanza(str(private["id"]))
        stanzas["own"] = await wait_for_stanza(bubbles.say("I said this myself"))
        stanzas["history"] = await _history(server.port, resources)
    return {name: ET.tostring(each, encoding="unicode") for name, each in stanzas.items()}


async def _history(port: int, resources: AsyncExitStack) -> ET.Element:
    """Return a stanza of the history that the room sends to a new participant."""
    ben = await resources.enter_async_context(xmpp_person(port, "ben", f"other@{ROOMS}"))
    await ben._client.join(ROOM, "ben", SystemClock().now() - timedelta(hours=1))
    is_history = "{urn:xmpp:delay}delay"
    await until(lambda: any(each.find(is_history) is not None for each in ben.heard))
    return next(each for each in ben.heard if each.find(is_history) is not None)


async def irc(folder: Path) -> Mapping[str, list[str]]:
    """Record the lines that a person in a channel receives, by server."""
    return {"ngircd": await _irc(folder, "ngircd"), "miniircd": await _irc(folder, "miniircd")}


async def _irc(folder: Path, kind: Literal["ngircd", "miniircd"]) -> list[str]:
    server = irc_server(folder, kind)
    await asyncio.to_thread(server.start)
    async with AsyncExitStack() as resources:
        resources.callback(server.stop)
        enter = resources.enter_async_context
        ann = await enter(irc_person(server.port, "ann", CHANNEL))
        bubbles = await enter(irc_person(server.port, "bubbles", CHANNEL))
        async with irc_person(server.port, "ben", CHANNEL) as ben:
            ann.write(f"MODE {CHANNEL} +o ben")
            ann.say(CHANNEL, "hello 你好")
            await bubbles.wait_for_lines("hello")
            ben.say(CHANNEL, "bubbles: remind ann of tea")
            ben.say(CHANNEL, "\x01ACTION waves\x01")
            ben.say("bubbles", "hello in private")
            ben.write("NICK benny")
            await bubbles.wait_for_lines("NICK")
        await bubbles.wait_for_lines("QUIT")
        ann.write(f"PART {CHANNEL} :tea")
        await bubbles.wait_for_lines(" PART ")
    return bubbles.lines


def main() -> None:
    """Write the files of all three networks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recorded = {
            "matrix/events.json": matrix(folder),
            "xmpp/stanzas.json": asyncio.run(xmpp(folder)),
            "irc/lines.json": asyncio.run(irc(folder)),
        }
    for file, events in recorded.items():
        written = json.dumps(events, ensure_ascii=False, indent=2)
        (WIRES / file).write_text(f"{written}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
