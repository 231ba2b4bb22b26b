"""Feishu's events, as its documentation shows them, become chat messages; what the bot says becomes posts."""

import json
from datetime import UTC, datetime
from pathlib import Path

from bot.platforms.base import OutgoingMessage
from bot.platforms.feishu import requests
from bot.platforms.feishu.wire import Account, Event, to_incoming
from services.kernel.chat import BotAdded, ChatAddress, MessageWithdrawn, Person

ME = Account(open_id="ou_bot", bot_name="Bubbles")
TEAM = ChatAddress(platform="feishu", chat_id="oc_1")
RECORDED = json.loads(Path(__file__).with_name("events.json").read_text(encoding="utf-8"))["message"]
SENDER, MESSAGE = RECORDED["event"]["sender"], RECORDED["event"]["message"]


def read_event(sender=SENDER, own_messages=(), **changes):
    event = {**RECORDED, "event": {"sender": sender, "message": {**MESSAGE, **changes}}}
    return to_incoming(Event.model_validate(event), ME, {"ou_ann": "小安"}, own_messages)


def post(text, address=TEAM, **more):
    path, body = requests.messages(address, OutgoingMessage(text=text, **more))[0]
    return path, body, json.loads(body["content"])["zh_cn"]["content"]


def test_keys_in_the_text_become_names():
    message = read_event()

    assert message.text == "@Bubbles 提醒@小伟 五点喝茶"
    assert message.is_addressed
    assert message.mentions == (Person(id="ou_wei", name="小伟"),)
    assert message.sent_at == datetime(2026, 11, 20, 10, tzinfo=UTC)


def test_the_sender_has_the_name_that_was_learnt():
    assert read_event().sender == Person(id="ou_ann", name="小安")


def test_the_tenth_mention_is_not_taken_for_the_first():
    mentions = [
        {"key": f"@_user_{number}", "id": {"open_id": f"ou_{number}"}, "name": f"P{number}"} for number in (1, 10)
    ]

    assert read_event(content='{"text":"@_user_10 and @_user_1"}', mentions=mentions).text == "@P10 and @P1"


def test_a_reply_to_the_bot_is_addressed_and_one_to_others_is_not():
    plain = {"content": '{"text":"ok"}', "mentions": None, "parent_id": "om_0", "root_id": "om_0"}

    assert read_event(**plain, own_messages={"om_0"}).is_addressed
    assert not read_event(**plain).is_addressed


def test_a_topic_is_known_by_the_message_that_began_it():
    assert read_event(root_id="om_0", thread_id="omt_1").address.thread_id == "om_0"


def test_a_private_chat_is_private_and_addressed():
    message = read_event(chat_type="p2p", content='{"text":"hello"}', mentions=[])

    assert (message.is_private, message.is_addressed) == (True, True)


def test_a_post_is_its_words():
    content = {"title": "Plan", "content": [[{"tag": "text", "text": "tea "}, {"tag": "at", "user_id": "@_user_2"}]]}
    message = read_event(message_type="post", content=json.dumps(content))

    assert message.text == "Plan\ntea @小伟"


def test_a_file_is_described():
    message = read_event(message_type="file", content='{"file_key":"f","file_name":"plan.pdf"}', mentions=None)

    assert [(each.kind, each.description) for each in message.attachments] == [("file", "plan.pdf")]


def test_own_messages_are_ignored():
    assert read_event(sender={"sender_id": {"open_id": "ou_bot"}, "sender_type": "app"}) is None


def test_another_app_is_a_bot():
    assert read_event(sender={"sender_id": {"open_id": "ou_ci"}, "sender_type": "app"}).sender.is_bot


def test_invalid_json_content_has_no_text():
    assert read_event(content="…") is None


def test_a_recalled_message_is_withdrawn():
    event = {
        "header": {"event_type": "im.message.recalled_v1"},
        "event": {"message_id": "om_1", "chat_id": "oc_1", "recall_time": "1795168860000"},
    }

    assert to_incoming(Event.model_validate(event), ME, {}) == MessageWithdrawn(
        address=TEAM, message_id="om_1", at=datetime(2026, 11, 20, 10, 1, tzinfo=UTC)
    )


def test_marks_become_styles_and_lines_become_paragraphs():
    _, _, paragraphs = post("**tea** at five\n[plan](https://example.org/)")

    assert paragraphs == [
        [{"tag": "text", "text": "tea", "style": ["bold"]}, {"tag": "text", "text": " at five"}],
        [{"tag": "a", "text": "plan", "href": "https://example.org/"}],
    ]


def test_a_tag_in_a_text_stays_text():
    assert post('<at user_id="all"></at> tea')[2] == [[{"tag": "text", "text": '<at user_id="all"></at> tea'}]]


def test_people_are_mentioned_by_open_id():
    assert {"tag": "at", "user_id": "ou_ann"} in post("@小安 茶", mentions=(Person(id="ou_ann", name="小安"),))[2][0]


def test_a_reply_is_posted_under_its_message():
    assert post("ok", reply_to="om_1")[0] == "/open-apis/im/v1/messages/om_1/reply"


def test_a_topic_is_answered_in_it():
    path, body, _ = post("ok", ChatAddress(platform="feishu", chat_id="oc_1", thread_id="om_0"))

    assert (path, body["reply_in_thread"]) == ("/open-apis/im/v1/messages/om_0/reply", True)


def test_a_key_is_the_same_each_time_and_short_enough():
    first, second = (post("tea", idempotency_key="reminder/2026-11-20T17:00")[1]["uuid"] for _ in range(2))

    assert first == second
    assert len(first) <= 50


def test_a_group_that_the_bot_is_added_to_is_new():
    event = {
        "schema": "2.0",
        "header": {"event_id": "e2", "event_type": "im.chat.member.bot.added_v1", "create_time": "1795168800000"},
        "event": {
            "chat_id": "oc_1",
            "operator_id": {"union_id": "on_7", "user_id": "", "open_id": "ou_ann"},
            "external": False,
            "operator_tenant_key": "t",
            "name": "team",
            "i18n_names": {"zh_cn": "小队", "en_us": "team"},
        },
    }

    assert to_incoming(Event.model_validate(event), ME, {}) == BotAdded(address=TEAM)
