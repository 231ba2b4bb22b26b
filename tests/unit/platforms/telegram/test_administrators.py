"""The administrators of a Telegram chat are remembered while Telegram does not answer."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from aiogram.exceptions import TelegramNetworkError
from aiogram.methods import GetChatAdministrators

from bot.platforms.telegram.client import Administrators
from bot.testing.clocks import FixedClock

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
CHAT_ID = -1001


class ChatServer:
    is_reachable = True
    admin = 7

    async def get_chat_administrators(self, chat_id):
        if not self.is_reachable:
            raise TelegramNetworkError(method=GetChatAdministrators(chat_id=chat_id), message="timeout")
        return [SimpleNamespace(user=SimpleNamespace(id=self.admin))]


async def test_known_administrators_stay_when_telegram_does_not_answer():
    server, clock = ChatServer(), FixedClock(NOW)
    administrators = Administrators(server, clock)
    before = await administrators.fetch(CHAT_ID)
    server.is_reachable = False
    clock.set(NOW + timedelta(hours=1))

    assert await administrators.fetch(CHAT_ID) == before == {"7"}


async def test_administrators_are_fetched_again_after_the_clock_was_set_back():
    server, clock = ChatServer(), FixedClock(NOW)
    administrators = Administrators(server, clock)
    await administrators.fetch(CHAT_ID)
    server.admin = 8
    clock.set(NOW - timedelta(days=1))

    assert await administrators.fetch(CHAT_ID) == {"8"}
