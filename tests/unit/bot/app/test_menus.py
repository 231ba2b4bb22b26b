"""Commands in the menus of platforms."""

from datetime import UTC, datetime

import pytest

from bot.config.settings import BotSettings, RouterSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform

pytestmark = pytest.mark.looptime


class Menu(FakePlatform):
    def __init__(self, clock):
        super().__init__(clock)
        self.commands = ()

    def set_commands(self, commands):
        self.commands = commands


@pytest.fixture
def clock():
    return LoopClock(datetime(2026, 11, 20, 9, tzinfo=UTC))


def bot(platform, clock, settings=None):
    return build_in_memory(
        settings or Settings(bot=BotSettings(timezone="UTC")),
        platforms=[platform],
        clock=clock,
    )


async def test_platform_menu_has_short_commands_before_functions(clock):
    platform = Menu(clock)
    async with bot(platform, clock):
        names = [command.name for command in platform.commands]

    assert names[:5] == ["remind", "reminders", "summary", "search", "help"]
    assert "reminder_set" in names
    assert len(names) == len(set(names))


async def test_restricted_function_is_not_shown(clock):
    platform = Menu(clock)
    async with bot(platform, clock) as app:
        rules = {tool.name: tool.options for tool in app.calls.registry}
        names = [command.name for command in platform.commands if command.name in rules]

    assert names
    assert all(rules[name].permission == "everyone" for name in names)


async def test_filled_form_sets_a_reminder(clock):
    platform = Menu(clock)
    async with bot(platform, clock):
        await platform.say('/reminder_set type=once time="in 10 minutes" content="drink tea"')

    assert "drink tea" in platform.texts[-1]
    assert "2026" in platform.texts[-1] or "09:10" in platform.texts[-1]


async def test_command_with_a_wrong_value_is_answered_with_the_error(clock):
    platform = Menu(clock)
    async with bot(platform, clock):
        await platform.say("/reminder_list page=many")

    assert "page" in platform.texts[-1]


@pytest.mark.parametrize(
    ("text", "is_answered"), [("/reminder_list", True), ("/chatname tea", True), ("/shrug", False)]
)
async def test_command_is_handled_where_only_addressed_messages_are(clock, text, is_answered):
    platform = Menu(clock)
    settings = Settings(bot=BotSettings(timezone="UTC"), router=RouterSettings(listen="addressed"))
    async with bot(platform, clock, settings):
        await platform.say(text)

    assert bool(platform.texts) is is_answered
