"""Reminders set in one chat for another."""

import asyncio
import re
import time
from datetime import UTC, datetime

import pytest

from bot.config.settings import BotSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from services.kernel.errors import DeliveryFailed

pytestmark = pytest.mark.looptime


class Telling(FakePlatform):
    """A platform that knows who is in its chats."""

    def __init__(self, clock, name):
        super().__init__(clock, name=name)
        self.members = {("ops", "ann")}

    async def is_member(self, address, person_id):
        return (address.chat_id, person_id) in self.members


class Office:
    """The chat `ops` on one platform, and Ann in a chat of hers on another, with the same bot."""

    def __init__(self):
        self.clock = LoopClock(datetime(2026, 11, 20, 9, tzinfo=UTC))
        self.work, self.phone = Telling(self.clock, "slack"), FakePlatform(self.clock, name="telegram")
        self.bot = build_in_memory(
            Settings(bot=BotSettings(timezone="UTC")),
            platforms=[self.work, self.phone],
            clock=self.clock,
        )

    async def open(self, command="/chatname ops"):
        await self.work.say(command, sender="boss", chat="ops", is_admin=True)
        return self.work.texts[-1]

    async def ask(self, text, sender="ann", **where):
        await self.work.say(text, sender=sender, chat="lunch", **where)
        return self.work.texts[-1]

    async def from_phone(self, text):
        await self.phone.say(text, sender="annie", chat="annie", is_private=True)
        return self.phone.texts[-1]

    def in_ops(self):
        return [message.text for address, message in self.work.sent if address.chat_id == "ops"]


@pytest.fixture
def office():
    return Office()


@pytest.mark.parametrize(
    "request_",
    [
        "remind the #ops chat in 5 minutes to check the backups",
        "remind #ops in 5 minutes to check the backups",
        "remind the ops chat in 5 minutes to check the backups",
        "remind everyone in #ops in 5 minutes to check the backups",
        "/for ops remind everyone in 5 minutes to check the backups",
    ],
)
async def test_a_member_sets_a_reminder_for_another_chat(office, request_):
    async with office.bot:
        await office.open()
        answer = await office.ask(f"Bubbles, {request_}" if not request_.startswith("/") else request_)
        await asyncio.sleep(301)

    assert answer.startswith("#ops: ")
    assert "check the backups" in answer
    assert office.in_ops()[1].startswith("ann did this from another chat")
    assert office.in_ops()[2] == "⏰ everyone check the backups"


@pytest.mark.parametrize(
    "request_",
    ["5分钟后提醒 #运维 群检查备份", "5分钟后在运维群提醒大家检查备份", "/发到 运维 5分钟后提醒大家检查备份"],
)
async def test_reminder_for_another_chat_is_set_in_chinese(office, request_):
    async with office.bot:
        opened = await office.open("/群名 运维")
        answer = await office.ask(request_)
        await asyncio.sleep(301)

    assert opened.startswith("本群现在叫 运维")
    assert answer.startswith("#运维：")
    assert office.in_ops()[2] == "⏰ 所有人 检查备份"


async def test_non_member_is_refused_with_the_reason(office):
    async with office.bot:
        await office.open()
        answer = await office.ask("remind the #ops chat in 5 minutes to check the backups", sender="eve")

    assert "do not know you as a member" in answer
    assert len(office.in_ops()) == 1


async def test_a_chat_that_has_not_allowed_it_is_not_reached(office):
    async with office.bot:
        answer = await office.ask("remind the #ops chat in 5 minutes to check the backups")

    assert "/chatname ops" in answer
    assert office.in_ops() == []


async def test_only_an_admin_opens_a_chat(office):
    async with office.bot:
        await office.work.say("/chatname ops", sender="ann", chat="ops")
        refusal = office.work.texts[-1]
        answer = await office.ask("remind the #ops chat in 5 minutes to x")

    assert refusal != ""
    assert "called ops now" not in refusal
    assert "either no chat" in answer


@pytest.mark.parametrize(
    "words", ["Bubbles, call this chat ops", "Bubbles，把本群叫做 ops", "@Bubbles please name this group #ops."]
)
async def test_a_chat_is_named_in_words_too(office, words):
    async with office.bot:
        named = await office.open(words)

    assert "#ops" in named


async def test_talk_between_people_about_a_chat_names_no_chat(office):
    async with office.bot:
        await office.work.say("let us call this chat ops", sender="boss", chat="ops", is_admin=True)

    assert office.work.texts == []


async def test_a_closed_chat_is_not_reached_any_more(office):
    async with office.bot:
        await office.open()
        await office.open("/chatname off")
        answer = await office.ask("/for ops remind everyone in 5 minutes to x")

    assert "either no chat" in answer


async def test_linked_account_may_set_reminders_from_another_platform(office):
    async with office.bot:
        await office.open()
        before = await office.from_phone("remind the #ops chat in 5 minutes to check the backups")
        await office.work.say("/link", sender="ann", chat="ann", is_private=True)
        await office.from_phone(re.search(r"link-\w{4}-\w{4}", office.work.texts[-1])[0])
        after = await office.from_phone("remind the #ops chat in 5 minutes to check the backups")
        await asyncio.sleep(301)

    assert "do not know you" in before
    assert after.startswith("#ops: ")
    assert "check the backups" in office.in_ops()[-1]


async def test_reminder_for_another_chat_is_undone_where_it_was_set(office):
    async with office.bot:
        await office.open()
        await office.ask("remind the #ops chat in 5 minutes to check the backups")
        button = office.work.sent[-1][1].choices[0]
        await office.ask(button.says)
        await asyncio.sleep(301)

    assert button.says.startswith("/for ops /undo ")
    assert not any(text.startswith("⏰ everyone") for text in office.in_ops())


async def test_reminders_for_another_chat_are_listed_in_private_only(office):
    async with office.bot:
        await office.open()
        await office.ask("remind the #ops chat in 5 minutes to check the backups")
        in_group = await office.ask("/for ops list reminders")
        in_private = await office.ask("/for ops list reminders", is_private=True)

    assert "check the backups" not in in_group
    assert "check the backups" in in_private


async def test_other_requests_stay_in_their_chat(office):
    async with office.bot:
        await office.open()
        answer = await office.ask("/for ops summarize the chat")

    assert answer.startswith("For ops I can set, list and delete reminders")


async def test_rights_of_an_admin_do_not_apply_in_other_chats(office):
    async with office.bot:
        await office.open()
        await office.work.say("Bubbles, remind me in 1 hour to call", sender="boss", chat="ops")
        reminder_id = re.search(r"\[(\w+)\]", office.in_ops()[-1])[1]
        answer = await office.ask(f"/for ops delete {reminder_id}", is_admin=True)

    assert "boss" in answer


async def test_a_chat_that_the_bot_was_removed_from_gets_no_reminder(office):
    def refuse(address, _):
        if address.chat_id == "ops":
            raise DeliveryFailed("removed", is_permanent=True)

    async with office.bot:
        await office.open()
        office.work.refuse = refuse
        answer = await office.ask("remind the #ops chat in 5 minutes to check the backups")
        office.work.refuse = None
        await asyncio.sleep(301)

    assert answer.startswith("I can no longer write in ops")
    assert len(office.in_ops()) == 1


@pytest.mark.parametrize("text", ["remind me in the ops chat to smile", "see you in #ops", "提醒我在公司群里说一声"])
async def test_sentence_without_such_a_chat_keeps_its_meaning(office, text):
    async with office.bot:
        await office.work.say(text, chat="lunch")

    assert not any("either no chat" in each for each in office.work.texts)


async def test_many_words_for_another_chat_are_searched_in_bounded_time(office):
    async with office.bot:
        start = time.process_time()
        await office.work.say("提醒" * 10_000, sender="ann", chat="lunch")

    assert time.process_time() - start < 1


async def test_request_from_a_message_with_the_id_of_one_of_the_other_chat_is_carried_out(office):
    async with office.bot:
        await office.open()
        await office.work.say("Bubbles, remind me in 5 minutes to water the plants", chat="ops", message_id="57")
        await office.ask("/for ops remind everyone in 10 minutes to check the backups", message_id="57")
        await asyncio.sleep(601)

    assert office.in_ops()[-1] == "⏰ everyone check the backups"


async def test_edit_of_a_message_with_the_id_of_a_request_from_another_chat_changes_nothing(office):
    async with office.bot:
        await office.open()
        await office.work.say("hello all", chat="ops", message_id="57")
        await office.ask("/for ops remind everyone in 10 minutes to check the backups", message_id="57")
        answers = len(office.work.texts)
        await office.work.rewrite("57", "hello everybody", chat="ops")

    assert office.work.texts[answers:] == []
