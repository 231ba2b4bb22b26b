"""The chat commands /link and /unlink."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.config.settings import BotSettings, Settings
from bot.platforms.base import Capabilities
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from services.kernel.chat import ChatAddress, Person
from services.people.zones import ZoneService

pytestmark = pytest.mark.looptime


class Town:
    """Two platforms and a bot on both."""

    def __init__(self):
        clock = LoopClock(datetime(2026, 11, 20, 9, tzinfo=UTC))
        self.phone, self.desk = (FakePlatform(clock, name=name) for name in ("telegram", "matrix"))
        self.bot = build_in_memory(
            Settings(bot=BotSettings(timezone="UTC", owners=("telegram:ann",))),
            platforms=[self.phone, self.desk],
            clock=clock,
        )

    async def code(self, text="/link"):
        await self.phone.say(text, chat="ann", is_private=True)
        return re.search(r"link-\w{4}-\w{4}", self.phone.texts[-1])[0]

    async def at_desk(self, text):
        await self.desk.say(text, sender="anna", chat="anna", is_private=True)
        return self.desk.texts[-1]

    async def link(self):
        return await self.at_desk(await self.code())


@pytest.fixture
def town():
    return Town()


async def test_link_is_reported_in_both_chats(town):
    async with town.bot:
        done = await town.link()

    assert "ann (telegram)" in done
    assert "anna (matrix)" in town.phone.texts[-1]


@pytest.mark.parametrize("words", ["link my accounts", "Link my account.", "关联我的账号"])
async def test_accounts_are_linked_by_words_without_commands(town, words):
    async with town.bot:
        code = await town.code(words)
        await town.phone.say(f"Bubbles, {words}", chat="group")

    assert code
    assert not any("link-" in text for text in town.phone.texts[1:])


async def test_accounts_are_linked_in_chinese(town):
    async with town.bot:
        done = await town.at_desk(f"/绑定 {await town.code('/关联')}")

    assert town.phone.texts[0].startswith("你的关联码")
    assert done.startswith("好了")
    assert "关联码已被使用" in town.phone.texts[-1]


async def test_accounts_are_listed_and_unlinked(town):
    async with town.bot:
        await town.link()
        links = await town.at_desk("/link list")
        answer = await town.at_desk("/unlink")
        alone = await town.at_desk("/link list")

    assert "ann (telegram)" in links
    assert "anna (matrix)" in answer
    assert "not linked to any other" in alone


async def test_code_in_a_group_links_no_account_and_becomes_invalid(town):
    async with town.bot:
        code = await town.code()
        await town.desk.say(f"/link {code}", sender="anna")
        in_group = town.desk.texts[-1]
        answer = await town.at_desk(code)

    assert "no longer valid" in in_group
    assert "not valid" in answer


async def test_request_in_a_group_is_referred_to_a_private_chat(town):
    async with town.bot:
        await town.phone.say("/link")

    assert re.search(r"link-\w{4}-", town.phone.texts[-1]) is None
    assert "private" in town.phone.texts[-1]


async def test_accounts_with_unregistered_names_are_not_linked(town):
    town.desk.capabilities = Capabilities(authenticates_people=False)
    async with town.bot:
        answer = await town.link()

    assert answer == "Accounts cannot be linked on matrix: anybody can take a name there."


async def test_memories_are_shared_with_private_chats_only(town):
    async with town.bot:
        await town.phone.say("remember that my locker is 17", chat="ann", is_private=True)
        await town.link()
        in_private = await town.at_desk("what do you remember?")
        await town.desk.say("Bubbles, what do you remember?", sender="anna")

    assert "locker is 17" in in_private
    assert "locker" not in town.desk.texts[-1]


async def test_linked_memory_can_be_forgotten_and_is_hidden_after_an_unlink(town):
    async with town.bot:
        for number in (17, 18):
            await town.phone.say(f"remember that my locker is {number}", chat="ann", is_private=True)
        await town.link()
        await town.at_desk("/memory_forget m1")
        left = await town.at_desk("what do you remember?")
        await town.at_desk("/unlink")
        answer = await town.at_desk("what do you remember?")

    assert ("17" in left, "18" in left) == (False, True)
    assert "18" not in answer


async def test_linked_account_has_the_time_zone(town):
    async with town.bot as app:
        zones = app.services.get(ZoneService)
        await zones.set_for_person(
            ChatAddress(platform="telegram", chat_id="ann"), Person(id="ann", name="ann"), "Tokyo"
        )
        await town.link()
        zone = await zones.zone_of(ChatAddress(platform="matrix", chat_id="home"), Person(id="anna", name="anna"))

    assert zone == ZoneInfo("Asia/Tokyo")


async def test_linked_account_has_no_rights_of_an_owner(town):
    async with town.bot:
        await town.link()
        await town.desk.say("/tools", sender="anna")
        other_answer = town.desk.texts[-1]
        await town.phone.say("/tools", sender="ann")

    assert other_answer != town.phone.texts[-1]
    assert "/tools off" not in other_answer


async def test_forgotten_person_is_unlinked(town):
    async with town.bot:
        await town.link()
        await town.at_desk("forget me")
        await town.at_desk("yes, forget me")
        links = await town.at_desk("/link list")

    assert "not linked to any other" in links
