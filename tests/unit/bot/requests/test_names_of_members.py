"""Names in requests, and the members of the chat that they refer to."""

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.platform import FakePlatform
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.reminders.service import ReminderService
from services.storage.database import Database

pytestmark = pytest.mark.looptime

HOME = ChatAddress(platform="fake", chat_id="home")
ANN = Person(id="@ann:localhost", name="Ann")
BOB = Person(id="@bob:localhost", name="Bob Smith")
SECOND_BOB = Person(id="@robert:localhost", name="Bob Lee")
SETTINGS = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))


class Chat:
    """A running bot in a chat whose members the platform lists."""

    def __init__(self, app, platform, clock, first=1):
        self.app, self.platform, self.clock = app, platform, clock
        self._count = first - 1

    async def say(self, text, sender=ANN, mentions=()):
        self._count += 1
        message = ChatMessage(
            id=f"m{self._count}",
            address=HOME,
            sender=sender,
            text=text,
            sent_at=self.clock.now(),
            is_addressed=text.startswith("Bubbles"),
            mentions=mentions,
        )
        await self.platform.handle(message)
        return self.platform.texts[-1] if self.platform.texts else ""

    async def targets(self):
        reminders = await self.app.services.get(ReminderService).list(HOME, ANN)
        return [person for reminder in reminders for person in reminder.targets]


@pytest.fixture
async def chat():
    clock = LoopClock()
    platform = FakePlatform(clock)
    async with build_app(SETTINGS, platforms=[platform], clock=clock, database=Database("sqlite://")) as app:
        yield Chat(app, platform, clock)


async def test_user_name_is_known_after_a_restart(tmp_path):
    bob = Person(id="42", name="Robert Smith", username="Bob_S")
    without_account = Person(id="@bob_s", name="bob_s")
    clock = LoopClock()
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with build_app(SETTINGS, platforms=[FakePlatform(clock)], clock=clock, database=Database(url)) as app:
        await Chat(app, app.outbox.platforms["fake"], clock).say("good morning", bob)
    platform = FakePlatform(clock)
    async with build_app(SETTINGS, platforms=[platform], clock=clock, database=Database(url)) as app:
        chat = Chat(app, platform, clock, first=2)
        await chat.say("Bubbles, remind @bob_s tomorrow at 9:00 to water plants", mentions=(without_account,))
        await chat.say("Bubbles, remind @bob_s tomorrow at 10:00 to buy milk")
        await chat.say("Bubbles, remind @bob_s and me tomorrow at 11:00 to eat", mentions=(without_account,))
        targets = await chat.targets()

    assert targets == [Person(id="42", name="Robert Smith")] * 3 + [ANN]


async def test_unknown_user_name_stays_as_written(chat):
    stranger = Person(id="@zoe_z", name="zoe_z")
    await chat.say("Bubbles, remind @zoe_z tomorrow at 9:00 to water plants", mentions=(stranger,))

    assert await chat.targets() == [stranger]


@pytest.mark.parametrize("name", ["Bob", "bob smith", "@bob", "@bob:localhost", "@Bob_Smith"])
@pytest.mark.parametrize("is_known_by", ["history", "members"])
async def test_name_handle_and_id_become_the_member(chat, name, is_known_by):
    if is_known_by == "history":
        await chat.say("good morning", BOB)
    else:
        chat.platform.members_here = (BOB,)
    await chat.say(f"Bubbles, remind {name} tomorrow at 9:00 to water plants")

    assert await chat.targets() == [BOB]


async def test_several_members_of_one_name_need_a_question(chat):
    chat.platform.members_here = (Person(id="@smith:localhost", name="Bob Smith"), SECOND_BOB)
    answer = await chat.say("Bubbles, remind Bob tomorrow at 9:00 to water plants")

    assert "@smith:localhost" in answer
    assert "@robert:localhost" in answer
    assert await chat.targets() == []


async def test_present_member_has_priority_over_a_past_one(chat):
    await chat.say("good morning", SECOND_BOB)
    chat.platform.members_here = (BOB,)
    await chat.say("Bubbles, remind Bob tomorrow at 9:00 to water plants")

    assert await chat.targets() == [BOB]


async def test_unknown_name_is_written_without_a_mention(chat):
    await chat.say("Bubbles, remind Zoe in 10 minutes to water plants")
    await chat.clock.nap(700)
    _, fired = chat.platform.sent[-1]

    assert fired.text.startswith("⏰ Zoe")
    assert fired.mentions == ()
