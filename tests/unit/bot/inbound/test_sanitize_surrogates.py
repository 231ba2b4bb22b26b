"""Lone surrogates, which cannot be stored or sent, and undecodable bytes of a terminal."""

import asyncio
import io
import os
import sys
from datetime import UTC, datetime

import pytest

from bot.__main__ import _accept_other_encodings
from bot.inbound.intake import sanitize_text
from bot.platforms.console import ConsolePlatform
from bot.testing.clocks import StandingClock
from services.kernel.chat import Attachment, ChatAddress, ChatMessage, MessageEdited, Person, Reaction

HALF = "tea \ud83d"
NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
HOME = ChatAddress(platform="fake", chat_id="home")


def message(**changed):
    ann = Person(id="ann", name="Ann")
    return ChatMessage(**{"id": "1", "address": HOME, "sender": ann, "text": "茶 🍵", "sent_at": NOW} | changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"text": HALF},
        {"sender": Person(id="ann", name=HALF)},
        {"sender": Person(id="ann", name="Ann", username=HALF)},
        {"mentions": (Person(id="ben", name=HALF),)},
        {"attachments": (Attachment(kind="file", description=HALF),)},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_surrogate_is_replaced_wherever_it_occurs(changed):
    incoming = sanitize_text(message(**changed))

    assert "tea \ufffd" in repr(incoming)
    assert "ud83d" not in repr(incoming)


def test_nul_is_replaced_which_postgresql_does_not_store():
    assert sanitize_text(message(text="tea\0")).text == "tea\ufffd"


def test_message_without_surrogates_is_unchanged():
    whole = message()

    assert sanitize_text(whole) is whole


def test_edit_is_sanitized_too():
    edited = MessageEdited(address=HOME, message_id="1", text=HALF, at=NOW)

    assert sanitize_text(edited).text == "tea \ufffd"


def test_person_of_a_reaction_is_sanitized_too():
    reaction = Reaction(address=HOME, message_id="1", person=Person(id="ann", name=HALF), emoji="👍")

    assert sanitize_text(reaction).person.name == "tea \ufffd"


@pytest.mark.parametrize(
    ("typed", "text"), [("喝茶".encode(), "喝茶"), (b"tea \xff\xfe", "tea \ufffd\ufffd")], ids=["UTF-8", "no UTF-8"]
)
async def test_the_console_reads_utf_8_where_the_terminal_claims_to_know_ascii_only(typed, text):
    readable, writable = os.pipe()
    os.write(writable, typed + b"\n")
    os.close(writable)
    messages = []

    async def receive(incoming):
        messages.append(incoming.text)
        return asyncio.sleep(0)

    with os.fdopen(readable, encoding="ascii", errors="surrogateescape") as stdin:
        await ConsolePlatform(clock=StandingClock(NOW), bot_name="Bubbles", stdin=stdin).run(receive)

    assert messages == [text]


def test_a_terminal_that_lacks_a_character_gets_a_mark_in_its_place(monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO(b"\xff\n"), encoding="gbk"))
    _accept_other_encodings()
    sys.stdout.write("✅ 已设置")
    sys.stdout.flush()

    assert sys.stdout.buffer.getvalue().decode("gbk") == "? 已设置"
    assert sys.stdin.readline() == "\udcff\n"
