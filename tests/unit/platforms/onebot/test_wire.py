"""OneBot's events, as the standard shows them, become chat messages; what the bot says becomes actions."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.platforms.base import OutgoingMessage
from bot.platforms.onebot import requests
from bot.platforms.onebot.wire import Event, recipient, segments_of, to_incoming, to_reactions
from services.kernel.chat import Attachment, BotAdded, ChatAddress, MessageWithdrawn, Person
from services.kernel.errors import DeliveryFailed

EVENTS = json.loads(Path(__file__).with_name("events.json").read_text(encoding="utf-8"))
TEAM = ChatAddress(platform="onebot", chat_id="100")


def read_event(name, own_messages=()):
    return to_incoming(Event.model_validate(EVENTS[name]), "Bubbles", own_messages)


def segments(**message):
    return requests.messages(TEAM, OutgoingMessage(**message))[0]["message"]


def test_segments_become_a_text_with_its_mentions():
    message = read_event("group")

    assert message.text == "@Bubbles 提醒@小伟 五点喝茶"
    assert message.is_addressed
    assert message.mentions == (Person(id="8", name="小伟"),)


def test_the_sender_has_the_name_and_the_rights_of_the_group():
    assert read_event("group").sender == Person(id="7", name="小安", is_admin=True)


def test_pictures_are_described():
    assert read_event("group").attachments == (
        Attachment(kind="image", description="[图片]", url="http://127.0.0.1/a.jpg"),
    )


def test_cq_codes_mean_the_same_as_segments():
    message = read_event("codes")

    assert message.text == "@8 a [b] &amp;"
    assert (message.reply_to, message.attachments[0].url) == ("11", "http://a.b/?x=1,2")


def test_a_reply_to_the_bot_is_addressed_and_one_to_others_is_not():
    assert read_event("codes", own_messages={"11"}).is_addressed
    assert not read_event("codes").is_addressed


def test_a_private_chat_is_not_the_group_of_the_same_number():
    message = read_event("private")

    assert (message.address.chat_id, message.is_private, message.is_addressed) == ("private-7", True, True)


@pytest.mark.parametrize("name", ["own", "sent", "poke", "heartbeat"])
def test_message_of_the_bot_or_system_is_ignored(name):
    assert read_event(name) is None


def test_a_recalled_message_is_withdrawn():
    withdrawn = read_event("recall")

    assert isinstance(withdrawn, MessageWithdrawn)
    assert (withdrawn.address, withdrawn.message_id) == (TEAM, "12")


def test_a_private_chat_is_answered_in_private():
    address = ChatAddress(platform="onebot", chat_id="private-7")

    assert requests.messages(address, OutgoingMessage(text="tea"))[0]["user_id"] == 7


def test_a_reply_and_mentions_are_segments_and_marks_are_left_out():
    ann = Person(id="7", name="Ann")

    assert segments(text="⏰ @Ann **tea**", reply_to="12", mentions=(ann,)) == [
        {"type": "reply", "data": {"id": "12"}},
        {"type": "text", "data": {"text": "⏰ "}},
        {"type": "at", "data": {"qq": "7"}},
        {"type": "text", "data": {"text": " tea"}},
    ]


def test_line_ends_around_a_mention_are_kept():
    ann = Person(id="7", name="Ann")
    texts = [each["data"].get("text", "@") for each in segments(text="Tea:\n@Ann\n@Ann", mentions=(ann,))]

    assert "".join(texts) == "Tea:\n@\n@"


def test_only_code_mentions_everyone():
    assert {"type": "at", "data": {"qq": "all"}} in segments(text="everyone, tea", mentions_everyone=True)
    assert [segment["type"] for segment in segments(text="@all @全体成员 [CQ:at,qq=all] tea")] == ["text"]


@given(st.text(max_size=200).filter(lambda text: text and "[CQ:" not in text and "&" not in text))
def test_text_without_codes_is_unchanged(text):
    assert [segment.data["text"] for segment in segments_of(text)] == [text]


def test_a_group_that_the_account_joins_is_new():
    assert read_event("bot added") == BotAdded(address=TEAM)


def test_join_of_another_person_is_ignored():
    assert read_event("somebody joined") is None


def test_face_is_its_emoji_or_its_number():
    fields = {"post_type": "notice", "notice_type": "group_msg_emoji_like", "self_id": 1, "user_id": 7, "group_id": 100}
    likes = [{"emoji_id": "76", "count": 1}, {"emoji_id": 128077, "count": 1}, {"emoji_id": "5", "count": 1}]
    event = Event.model_validate({**fields, "message_id": 9, "likes": likes})

    assert [each.emoji for each in to_reactions(event, "Ann")] == ["👍", "👍", "5"]
    assert to_reactions(event.model_copy(update={"user_id": 1}), "Bubbles") == ()


@pytest.mark.parametrize("chat_id", ["team", "private-ann"])
def test_address_without_a_number_is_refused_for_good(chat_id):
    with pytest.raises(DeliveryFailed) as error:
        recipient(ChatAddress(platform="onebot", chat_id=chat_id))

    assert error.value.is_permanent
