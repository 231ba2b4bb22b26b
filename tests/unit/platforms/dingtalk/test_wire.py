"""DingTalk's callbacks, as its documentation shows them, become chat messages; what the bot says becomes bodies."""

import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.platforms.base import OutgoingMessage
from bot.platforms.dingtalk import requests
from bot.platforms.dingtalk.wire import Event, to_message
from services.kernel.chat import ChatAddress, Person, SentFile

CALLBACK = json.loads(Path(__file__).with_name("events.json").read_text(encoding="utf-8"))["group"]
TEAM = ChatAddress(platform="dingtalk", chat_id=CALLBACK["conversationId"])


def read_message(**changes):
    return to_message(Event.model_validate({**CALLBACK, **changes}), "Bubbles")


def test_a_text_to_the_robot_is_addressed():
    message = read_message()

    assert (message.text, message.is_addressed, message.address) == ("提醒@小伟 五点喝茶", True, TEAM)
    assert message.sent_at == datetime(2026, 11, 20, 10, tzinfo=UTC)


def test_the_sender_is_known_by_staff_id():
    assert read_message().sender == Person(id="ann", name="小安", is_admin=True)


def test_member_of_another_organisation_is_known_by_the_encrypted_id():
    assert read_message(senderStaffId=None).sender.id == "$:LWCP_v1:$ann"


def test_mentions_have_their_names_from_the_text():
    assert read_message().mentions == (Person(id="wei", name="小伟"),)


def test_indistinguishable_mentions_are_left_out():
    assert read_message(text={"content": "提醒大家 五点喝茶"}).mentions == ()


def test_a_private_chat_is_that_of_the_person():
    message = read_message(conversationType="1")

    assert (message.address.chat_id, message.is_private) == ("private-ann", True)


def test_a_rich_text_is_its_words_and_pictures():
    message = read_message(
        msgtype="richText", content={"richText": [{"text": "看"}, {"type": "picture", "downloadCode": "x"}]}
    )

    assert (message.text, [each.kind for each in message.attachments]) == ("看", ["picture"])


def test_voice_message_is_the_text_recognised_by_dingtalk():
    assert (
        read_message(msgtype="audio", content={"recognition": "提醒我喝茶", "downloadCode": "x"}).text == "提醒我喝茶"
    )


def test_empty_message_is_ignored():
    assert read_message(text={"content": "  "}) is None


def test_an_answer_mentions_people_by_id_in_the_text_and_beside_it():
    message = OutgoingMessage(text="@小安 茶", mentions=(Person(id="ann", name="小安"),))

    assert requests.session_body(message, message.text) == {
        "msgtype": "text",
        "text": {"content": "@ann 茶"},
        "at": {"atUserIds": ["ann"], "isAtAll": False},
    }


@pytest.mark.parametrize(("text", "everyone", "rings"), [("大家, 茶", True, True), ("@所有人 茶", False, False)])
def test_only_code_notifies_everyone(text, everyone, rings):
    message = OutgoingMessage(text=text, mentions_everyone=everyone)

    assert requests.session_body(message, text)["at"]["isAtAll"] is rings


def test_message_without_a_webhook_goes_to_the_group_or_the_person():
    message = OutgoingMessage(text="**tea**")
    path, body = requests.api_request(TEAM, message, message.text, "dingo")
    private = ChatAddress(platform="dingtalk", chat_id="private-ann")

    assert (path, json.loads(body["msgParam"])) == ("/v1.0/robot/groupMessages/send", {"content": "tea"})
    assert requests.api_request(private, message, message.text, "dingo")[1]["userIds"] == ["ann"]


def file(name, media_type="application/octet-stream"):
    return SentFile(name=name, media_type=media_type, content=b"content")


@pytest.mark.parametrize("known", [file("a.PDF"), file("a.xlsx"), file("a", "image/png")])
def test_supported_files_are_sent_unchanged(known):
    assert requests.pack_unsupported(known) == known


@pytest.mark.parametrize("unknown", [file("a.csv", "text/csv"), file("a"), file("表格.svg", "image/svg+xml")])
def test_unsupported_file_is_packed(unknown):
    packed = requests.pack_unsupported(unknown)

    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert archive.read(unknown.name) == b"content"
    assert (packed.name, requests.suffix_of(packed)) == (f"{unknown.name}.zip", "zip")


@pytest.mark.parametrize(
    ("content", "kind", "parameters"),
    [
        (file("a.png", "image/png"), "sampleImageMsg", {"photoURL": "@1"}),
        (file("a.pdf"), "sampleFile", {"mediaId": "@1", "fileName": "a.pdf", "fileType": "pdf"}),
    ],
)
def test_a_file_is_shown_by_the_id_that_it_was_given(content, kind, parameters):
    _, body = requests.file_request(TEAM, content, "@1", "dingo")

    assert (body["msgKey"], json.loads(body["msgParam"])) == (kind, parameters)
