"""A person mentioned in a request whose time is in a later message."""

from datetime import timedelta

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.in_memory import NOW
from bot.testing.platform import FakePlatform
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.reminders.service import ReminderService
from services.storage.database import Database

HOME = ChatAddress(platform="fake", chat_id="home")
ANN, CLEO = Person(id="a1", name="ann"), Person(id="c1", name="cleo")
BOB, ZOE = Person(id="u7", name="Bob Smith"), Person(id="u8", name="Zoe")


def message(number: int, text: str, *, sender: Person = ANN, mentions: tuple[Person, ...] = (), minutes: int = 0):
    return ChatMessage(
        id=f"m{number}",
        address=HOME,
        sender=sender,
        text=text,
        sent_at=NOW + timedelta(minutes=minutes),
        is_addressed=True,
        mentions=mentions,
    )


@pytest.mark.parametrize("asker", [ANN, CLEO])
async def test_person_of_the_request_is_kept_during_the_question_about_the_time(asker: Person):
    clock = StandingClock(NOW)
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
    async with build_app(settings, platforms=[platform], clock=clock, database=Database("sqlite://")) as app:
        await platform.handle(message(1, "Bubbles, what about @Zoe", sender=CLEO, mentions=(ZOE,)))
        await platform.handle(message(2, "Bubbles, remind @Bob Smith to eat", sender=asker, mentions=(BOB,)))
        await platform.handle(message(3, "at 5pm", sender=asker))
        (reminder,) = await app.services.get(ReminderService).list(HOME, asker)

    assert reminder.targets == (BOB,)
